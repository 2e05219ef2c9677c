using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>A group of routes with a common path prefix and common settings.</summary>
/// <remarks>Created by <c>MapGroup</c>; the root group of a server has no prefix.</remarks>
public sealed partial class CoapRouteGroup : CoapRouteConventions<CoapRouteGroup>, ICoapRouteBuilder
{
    internal CoapRouteGroup(RouteTable table, CoapRouteGroup? parent, RouteTemplate prefix)
        : base(table, new RouteSettings())
    {
        Parent = parent;
        Template = prefix;
    }

    /// <summary>The prefix, in URI form; <c>/</c> if there is none.</summary>
    public string Prefix => Template.Text;

    /// <summary>
    /// The clock of the endpoint that serves the routes (<see cref="CoapEndpointOptions.TimeProvider"/>), for parts that are mapped to it;
    /// null before <see cref="CoapRoutes"/> have an endpoint.
    /// </summary>
    public TimeProvider? TimeProvider => Table.Environment?.TimeProvider;

    /// <summary>
    /// The source of random numbers of that endpoint (<see cref="CoapEndpointOptions.Random"/>); null before <see cref="CoapRoutes"/> have
    /// an endpoint.
    /// </summary>
    public CoapRandomSource? Random => Table.Environment?.Random;

    /// <inheritdoc/>
    CoapRouteGroup ICoapRouteBuilder.Routes => this;

    internal CoapRouteGroup? Parent { get; }

    internal RouteTemplate Template { get; }

    internal CoapRouteGroup AddGroup(string prefix)
    {
        RouteTemplate template = RouteTemplate.Parse(prefix);
        if (template.Segments is [.., { Kind: RouteSegmentKind.Literal, Text.Length: 0 }])
        {
            throw new ArgumentException(
                $"The prefix '{prefix}' ends with a slash, which would be doubled in the paths of the group. Leave it out.",
                nameof(prefix));
        }

        if (template.Segments is [.., { Kind: RouteSegmentKind.Rest }])
        {
            throw new ArgumentException(
                $"The prefix '{prefix}' matches all segments, so no route can follow it. Use a parameter without a star.", nameof(prefix));
        }

        return new CoapRouteGroup(Table, this, Template.Append(template));
    }

    internal CoapRouteHandlerBuilder Add(string template, ReadOnlySpan<CoapMethod> methods,
        Func<CoapRequest, CancellationToken, ValueTask<CoapResult>> handler)
    {
        if (methods.IsEmpty)
        {
            throw new ArgumentException("Name at least one method.", nameof(methods));
        }

        foreach (CoapMethod method in methods)
        {
            if (!((CoapCode)method).IsRequest)
            {
                throw new ArgumentException($"{(int)method} is not a request method. Use 1 to 31 (RFC 7252 section 12.1.1).",
                    nameof(methods));
            }
        }

        Route route = new(Table, this, Template.Append(RouteTemplate.Parse(template)), [.. methods.ToArray().Distinct()], handler);
        Table.Add(route);
        return new CoapRouteHandlerBuilder(Table, route);
    }
}
