using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// Routes with a common beginning of their paths, and what holds for all of them. Made by <c>MapGroup</c>; a server's own group has no
/// prefix.
/// </summary>
public sealed partial class CoapRouteGroup : CoapRouteConventions<CoapRouteGroup>, ICoapRouteBuilder
{
    internal CoapRouteGroup(RouteTable table, CoapRouteGroup? parent, RouteTemplate prefix)
        : base(table, new RouteSettings())
    {
        Parent = parent;
        Template = prefix;
    }

    /// <summary>The common beginning, in URI form; <c>/</c> when there is none.</summary>
    public string Prefix => Template.Text;

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
                $"The prefix '{prefix}' ends with a slash, which would stand twice in the paths of the group. Leave it out.",
                nameof(prefix));
        }

        if (template.Segments is [.., { Kind: RouteSegmentKind.Rest }])
        {
            throw new ArgumentException(
                $"The prefix '{prefix}' takes all segments, so nothing can follow it. Use a parameter without a star.", nameof(prefix));
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
                throw new ArgumentException($"{(int)method} is no request method; those are 1 to 31 (RFC 7252 section 12.1.1).",
                    nameof(methods));
            }
        }

        Route route = new(Table, this, Template.Append(RouteTemplate.Parse(template)), [.. methods.ToArray().Distinct()], handler);
        Table.Add(route);
        return new CoapRouteHandlerBuilder(Table, route);
    }
}
