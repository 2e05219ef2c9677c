using System.Globalization;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>
/// A mapped route: says more about it, or removes it. Link attributes stand in <c>/.well-known/core</c>; where several routes share a path,
/// the first one that gives an attribute wins.
/// </summary>
public sealed partial class CoapRouteHandlerBuilder : CoapRouteConventions<CoapRouteHandlerBuilder>
{
    private readonly Route _route;

    internal CoapRouteHandlerBuilder(RouteTable table, Route route)
        : base(table, route.Settings) => _route = route;

    /// <summary>The path with its parameters, in URI form.</summary>
    public string Template => _route.Template.Text;

    /// <summary>The methods that are handled.</summary>
    public IReadOnlyList<CoapMethod> Methods => Array.AsReadOnly(_route.Methods);

    /// <summary>Sets the <c>title</c> attribute: a text for people (RFC 6690 section 2).</summary>
    /// <param name="title">The text.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithTitle(string title) =>
        WithAttribute("title", title ?? throw new ArgumentNullException(nameof(title)));

    /// <summary>Sets the <c>rt</c> attribute: what the resource is (RFC 6690 section 3.1).</summary>
    /// <param name="resourceTypes">The resource types; none contains a space.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithResourceType(params string[] resourceTypes) => WithAttribute("rt", string.Join(' ', resourceTypes));

    /// <summary>Sets the <c>if</c> attribute: how to talk to the resource (RFC 6690 section 3.2).</summary>
    /// <param name="interfaces">The interface descriptions; none contains a space.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithInterface(params string[] interfaces) => WithAttribute("if", string.Join(' ', interfaces));

    /// <summary>
    /// Sets the <c>ct</c> attribute: a hint about the formats of the resource (RFC 7252 section 7.2.1). Without it the formats of
    /// <c>Produces</c> are listed.
    /// </summary>
    /// <param name="formats">The formats.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithContentFormat(params CoapContentFormat[] formats) =>
        WithAttribute("ct", CoapLinkAttribute.Join(formats));

    /// <summary>
    /// Sets the <c>sz</c> attribute: a hint about the size; meant for resources that do not fit one datagram (RFC 6690 section 3.3).
    /// </summary>
    /// <param name="size">The size in bytes, 0 or more.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Below zero.</exception>
    public CoapRouteHandlerBuilder WithSize(long size)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(size);
        return WithAttribute("sz", size.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>Sets a link attribute, in the place of one with that name.</summary>
    /// <param name="name">The name, such as <c>obs</c>.</param>
    /// <param name="value">The value; null for an attribute without one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">The name cannot be one.</exception>
    public CoapRouteHandlerBuilder WithAttribute(string name, string? value = null)
    {
        CoapLinkAttribute attribute = new(name, value);
        return Change(_ =>
        {
            _route.Attributes.RemoveAll(other => other.IsNamed(name));
            _route.Attributes.Add(attribute);
        });
    }

    /// <summary>
    /// Sets a link attribute that stands once for each of its values, such as <c>ed-csuite</c> (RFC 9668 section 6), in the place of those
    /// with that name.
    /// </summary>
    /// <param name="name">The name.</param>
    /// <param name="values">The values; none for no such attribute.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">The name cannot be one.</exception>
    public CoapRouteHandlerBuilder WithAttributes(string name, IEnumerable<string> values)
    {
        ArgumentNullException.ThrowIfNull(values);
        CoapLinkAttribute[] attributes = [.. values.Select(value => new CoapLinkAttribute(name, value))];
        return Change(_ =>
        {
            _route.Attributes.RemoveAll(other => other.IsNamed(name));
            _route.Attributes.AddRange(attributes);
        });
    }

    /// <summary>
    /// Lists the route in <c>/.well-known/core</c> under a target of its own. A route with parameters is listed only so, as its template is
    /// no URI.
    /// </summary>
    /// <param name="target">The URI reference to list, such as <c>/devices</c>.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder ListedAs(string target)
    {
        _ = new CoapLink(target);
        return Change(_ => _route.ListedAs = target);
    }

    /// <summary>Lists one more link beside the route's own, such as one with another context (RFC 6690 section 5).</summary>
    /// <param name="link">The link.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithLink(CoapLink link)
    {
        ArgumentNullException.ThrowIfNull(link);
        return Change(_ => _route.Links.Add(link));
    }

    /// <summary>
    /// Lists links that are made anew for each request for <c>/.well-known/core</c>, such as of what stands in a database: after all
    /// others, and only where the route itself would be listed (<c>ListedWhen</c>, security of the transport). The filter of the request
    /// (RFC 6690 section 4.1) is applied to them; the function may look at it to leave work out. <see cref="CoapServer.Links"/> has none of
    /// them.
    /// </summary>
    /// <param name="links">Gives the links for a request; called by any thread, and for each request, so it must be quick.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithLinks(Func<CoapRequest, IEnumerable<CoapLink>> links)
    {
        ArgumentNullException.ThrowIfNull(links);
        return Change(_ => _route.LinkSource = links);
    }

    /// <summary>
    /// Says that what the route serves may have changed: the handler runs again, once for all observers that asked the same, and they are
    /// sent its answer (RFC 7641 section 4.2). Of a route with parameters this means every path that is observed; see
    /// <see cref="CoapServer.Notify"/> for one of them. Any thread may call it, in a handler too; it waits for nothing, and calls that
    /// follow one another fast lead to one run.
    /// </summary>
    /// <returns>How many observers the route has at the moment; 0 also when it is not <c>Observable</c>, which is logged as a
    /// warning.</returns>
    public int Notify() => Table.Notify(_route, tellsMistakes: true);

    /// <summary>
    /// As <see cref="Notify()"/>, for those observers only who observe what a request names: its path, or the URI that a proxy is asked for
    /// by it.
    /// </summary>
    /// <param name="request">A received request, such as the one that registered.</param>
    /// <returns>How many they are.</returns>
    /// <exception cref="CoapUriException">The request asks for a proxy, and its options name no URI.</exception>
    public int NotifyFor(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return Table.NotifyAt(_route, ProxyRoute.PathOf(request));
    }

    /// <summary>
    /// How many observe what a request names: its path, or the URI that a proxy is asked for by it; see <see cref="NotifyFor"/>.
    /// </summary>
    /// <param name="request">A received request.</param>
    /// <returns>The number of observers.</returns>
    /// <exception cref="CoapUriException">The request asks for a proxy, and its options name no URI.</exception>
    public int CountObservers(CoapRequest request)
    {
        ArgumentNullException.ThrowIfNull(request);
        return Table.Changes?.CountAt(ProxyRoute.PathOf(request)) ?? 0;
    }

    /// <summary>The same where it is no mistake that the route cannot be observed.</summary>
    internal int NotifyIfObservable() => Table.Notify(_route, tellsMistakes: false);

    /// <summary>
    /// Removes the route. Requests that it is serving are finished; later ones are answered 4.04 or 4.05. Its observers are told 4.04 and
    /// forgotten.
    /// </summary>
    /// <returns>Whether it was still mapped.</returns>
    public bool Unmap() => Table.Remove(_route);
}
