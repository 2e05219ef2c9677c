using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>A group of routes with a common path prefix and common settings.</summary>
/// <remarks>Created by <c>MapGroup</c>; the root group of a server has no prefix.</remarks>
public sealed class CoapRouteGroup : CoapRouteConventions<CoapRouteGroup>, ICoapRouteBuilder
{
    internal CoapRouteGroup(RouteTable table, CoapRouteGroup? parent, RouteTemplate prefix)
        : base(table, new RouteSettings())
    {
        Parent = parent;
        Template = prefix;
    }

    /// <summary>The prefix, in URI form; <c>/</c> if there is none.</summary>
    internal string Prefix => Template.Text;

    /// <summary>
    /// The clock of the endpoint that serves the routes (<see cref="CoapEndpointOptions.TimeProvider"/>), for parts that are mapped to it;
    /// null before <see cref="CoapRoutes"/> have an endpoint.
    /// </summary>
    public TimeProvider? TimeProvider => Table.Environment?.TimeProvider;

    /// <summary>
    /// The source of random numbers of that endpoint (<see cref="CoapPipelineOptions.Random"/>); null before <see cref="CoapRoutes"/> have
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
        CoapHandler handler)
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

    /// <summary>Returns the current metadata of the routes in this group and its inner groups, in the order of mapping.</summary>
    /// <remarks>The metadata of the groups themselves is not included.</remarks>
    /// <returns>The objects of the type; empty if there are none.</returns>
    internal IReadOnlyList<T> ListMetadata<T>()
        where T : class
    {
        Route[] routes = Table.Snapshot().Routes;
        lock (Table.Gate)
        {
            return [.. routes.Where(IsInside).SelectMany(route => route.Settings.Metadata.OfType<T>())];
        }
    }

    private bool IsInside(Route route)
    {
        CoapRouteGroup? group = route.Group;
        while (group is not null && group != this)
        {
            group = group.Parent;
        }

        return group is not null;
    }
}
