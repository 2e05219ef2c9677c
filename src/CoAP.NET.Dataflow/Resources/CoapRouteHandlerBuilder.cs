using System.Globalization;
using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>A mapped route: configures it further, or removes it.</summary>
/// <remarks>
/// Link attributes are listed in <c>/.well-known/core</c>; if several routes share a path, the first one with an attribute wins.
/// </remarks>
/// <example>
/// <code>
/// double degrees = 21.5;
/// CoapRouteHandlerBuilder temperature = server.MapGet("/temperature", () =&gt; CoapResults.Text($"{degrees}"))
///     .Observable().WithTitle("Temperature of the room").WithResourceType("temperature");
///
/// degrees = 22;
/// temperature.Notify();
/// </code>
/// </example>
public sealed class CoapRouteHandlerBuilder : CoapRouteConventions<CoapRouteHandlerBuilder>
{
    private readonly Route _route;

    internal CoapRouteHandlerBuilder(RouteTable table, Route route)
        : base(table, route.Settings) => _route = route;

    /// <summary>The path with its parameters, in URI form.</summary>
    public string Template => _route.Template.Text;

    /// <summary>The methods of the route.</summary>
    public IReadOnlyList<CoapMethod> Methods => Array.AsReadOnly(_route.Methods);

    /// <summary>Sets the <c>title</c> attribute: a human-readable text (RFC 6690 section 2).</summary>
    /// <param name="title">The text.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithTitle(string title) =>
        WithAttribute("title", title ?? throw new ArgumentNullException(nameof(title)));

    /// <summary>Sets the <c>rt</c> attribute: the type of the resource (RFC 6690 section 3.1).</summary>
    /// <param name="resourceTypes">The resource types; none contains a space.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithResourceType(params string[] resourceTypes) => WithAttribute("rt", string.Join(' ', resourceTypes));

    /// <summary>Sets the <c>if</c> attribute: the interface of the resource (RFC 6690 section 3.2).</summary>
    /// <param name="interfaces">The interface descriptions; none contains a space.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithInterface(params string[] interfaces) => WithAttribute("if", string.Join(' ', interfaces));

    /// <summary>Sets the <c>ct</c> attribute: a hint about the formats of the resource (RFC 7252 section 7.2.1).</summary>
    /// <remarks>Without it the formats of <c>Produces</c> are listed.</remarks>
    /// <param name="formats">The formats.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithContentFormat(params CoapContentFormat[] formats) =>
        WithAttribute("ct", CoapLinkAttribute.Join(formats));

    /// <summary>
    /// Sets the <c>sz</c> attribute: a hint about the size, for resources that do not fit into one datagram (RFC 6690 section 3.3).
    /// </summary>
    /// <param name="size">The size in bytes, 0 or more.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The size is negative.</exception>
    public CoapRouteHandlerBuilder WithSize(long size)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(size);
        return WithAttribute("sz", size.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>Sets a link attribute, and replaces one with the same name.</summary>
    /// <param name="name">The name, such as <c>obs</c>.</param>
    /// <param name="value">The value; null for an attribute without one.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">The name is invalid.</exception>
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
    /// Sets a link attribute that is repeated for each of its values, such as <c>ed-csuite</c> (RFC 9668 section 6), and replaces those
    /// with the same name.
    /// </summary>
    /// <param name="name">The name.</param>
    /// <param name="values">The values; none for no such attribute.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">The name is invalid.</exception>
    internal CoapRouteHandlerBuilder WithAttributes(string name, IEnumerable<string> values)
    {
        ArgumentNullException.ThrowIfNull(values);
        CoapLinkAttribute[] attributes = [.. values.Select(value => new CoapLinkAttribute(name, value))];
        return Change(_ =>
        {
            _route.Attributes.RemoveAll(other => other.IsNamed(name));
            _route.Attributes.AddRange(attributes);
        });
    }

    /// <summary>Lists the route in <c>/.well-known/core</c> under another target.</summary>
    /// <remarks>A route with parameters is listed only in this way, because its template is not a URI.</remarks>
    /// <param name="target">The URI reference to list, such as <c>/devices</c>.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithDiscoveryTarget(string target)
    {
        _ = new CoapLink(target);
        return Change(_ => _route.ListedAs = target);
    }

    /// <summary>Lists another link in addition to that of the route, such as one with another context (RFC 6690 section 5).</summary>
    /// <param name="link">The link.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithLink(CoapLink link)
    {
        ArgumentNullException.ThrowIfNull(link);
        return Change(_ => _route.Links.Add(link));
    }

    /// <summary>
    /// Lists links that are created for each request for <c>/.well-known/core</c>, for example from a database: after all others, and only
    /// if the route itself would be listed (<c>WithDiscoveryCondition</c>, security of the transport).
    /// </summary>
    /// <remarks>
    /// The server applies the filter of the request (RFC 6690 section 4.1) to them; the function may use it to save work.
    /// <see cref="CoapServer.Links"/> does not include them.
    /// </remarks>
    /// <param name="links">Returns the links for a request; called by any thread, and for each request, so it must be quick.</param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithLinks(Func<CoapRequestContext, IEnumerable<CoapLink>> links)
    {
        ArgumentNullException.ThrowIfNull(links);
        return Change(_ => _route.LinkSource = links);
    }

    /// <summary>
    /// Notifies observers that the resources of the route may have changed: the handler runs again, and its response is sent to them (RFC
    /// 7641 section 4.2). It runs once for each client, or for all; see <see cref="CoapRouteObserveSettings.SameForAll"/>.
    /// </summary>
    /// <remarks>Thread-safe; a handler may call it too, and it never waits. Calls in quick succession lead to one run.</remarks>
    /// <param name="values">The values of the parameters of one resource, such as <see cref="CoapRequestContext.Route"/> of a request that
    /// changed it; <see cref="CoapServer.Notify"/> takes its path instead. Null: every observed path of the route.</param>
    /// <returns>The current number of these observers; 0 also if the route is not <c>Observable</c>, which is logged as a
    /// warning.</returns>
    /// <exception cref="KeyNotFoundException">The values lack a parameter of the route.</exception>
    public int Notify(CoapRouteValues? values = null) => values is null
        ? Table.Notify(_route, tellsMistakes: true)
        : Table.Notify(_route.Template.PathOf(values));

    /// <summary>
    /// Notifies only the observers of the resource that a request names here: its path, or the URI that it requests from a proxy.
    /// </summary>
    /// <param name="request">The request.</param>
    /// <param name="client">The only client whose observers are notified; null for all clients.</param>
    /// <exception cref="CoapFormatException">The request is for a proxy, and its options do not form a URI.</exception>
    internal int NotifyFor(CoapRequestContext request, CoapChannel? client) =>
        Table.NotifyAt(_route, ProxyHandlerRoute.PathOf(request), client);

    /// <summary>Returns the number of observers of the resource that a request names; see <see cref="NotifyFor"/>.</summary>
    /// <param name="request">The request.</param>
    /// <param name="client">The only client whose observers count; null for all clients.</param>
    /// <exception cref="CoapFormatException">The request is for a proxy, and its options do not form a URI.</exception>
    internal int CountObservers(CoapRequestContext request, CoapChannel? client) =>
        Table.Notifier?.CountAt(ProxyHandlerRoute.PathOf(request), client) ?? 0;

    /// <summary>
    /// Declares whether the responses of the handler depend on the client in addition to the request. If they do, clients never share a
    /// run; see <see cref="CoapRouteObserveSettings.SameForAll"/>.
    /// </summary>
    internal CoapRouteHandlerBuilder WithClientDependence(bool depends) => Change(settings => settings.DependsOnClient = depends);

    /// <summary>Notifies like <see cref="Notify"/>, but without a warning if the route is not observable.</summary>
    internal int NotifyIfObservable() => Table.Notify(_route, tellsMistakes: false);

    /// <summary>Removes the route.</summary>
    /// <remarks>
    /// The server finishes its running requests, and answers later ones with 4.04 or 4.05. Its observers get 4.04 and are removed.
    /// </remarks>
    /// <returns>Whether it was still mapped.</returns>
    public bool Unmap() => Table.Remove(_route);

    /// <summary>
    /// The formats of responses from the nearest call of <c>Produces</c>, on the route or on a surrounding group; null without such a call.
    /// </summary>
    internal IReadOnlyList<CoapContentFormat>? ProducedFormats
    {
        get
        {
            lock (Table.Gate)
            {
                return _route.Produces;
            }
        }
    }

    /// <summary>
    /// Returns the nearest metadata object of a type: that of the route, or otherwise that of the surrounding groups, from the inside out.
    /// </summary>
    /// <remarks>If there are several, it returns the last one.</remarks>
    /// <returns>The object; null if there is none.</returns>
    internal T? FindMetadata<T>()
        where T : class
    {
        lock (Table.Gate)
        {
            return _route.Inherit(settings => settings.Metadata.OfType<T>().LastOrDefault());
        }
    }

    /// <summary>Raised when a client has become an observer of the route, just before the response to its registration is sent.</summary>
    /// <remarks>
    /// Repeated registrations of a client do not raise it. Events of one route are raised one after the other, with no lock held, on the
    /// receiving thread or, for example after a timeout, on a thread of the library; do not block in a handler. The library counts and logs
    /// exceptions of handlers. While a handler is busy, at most 4,096 further events wait; others are dropped and counted as
    /// <c>HandlerErrors</c>. Therefore read <see cref="ObserverCount"/> instead of counting events.
    /// </remarks>
    public event EventHandler<CoapObserverChange>? ObserverAdded
    {
        add => _route.Observed.From(this).Added += value;
        remove => _route.Observed.From(this).Added -= value;
    }

    /// <summary>Raised when a client is no longer an observer, with the reason; see <see cref="ObserverAdded"/>.</summary>
    public event EventHandler<CoapObserverChange>? ObserverRemoved
    {
        add => _route.Observed.From(this).Removed += value;
        remove => _route.Observed.From(this).Removed -= value;
    }

    /// <summary>
    /// Raised when a client acknowledged a Confirmable notification, and on connections (RFC 8323) when a notification was passed to the
    /// connection, which delivers it; see <see cref="ObserverAdded"/>.
    /// </summary>
    /// <remarks>Non-confirmable notifications are not acknowledged.</remarks>
    public event EventHandler<CoapObserverChange>? ObserverAcknowledged
    {
        add => _route.Observed.From(this).Acknowledged += value;
        remove => _route.Observed.From(this).Acknowledged -= value;
    }

    /// <summary>The number of observers of the route: pairs of a client and a token, over all its paths.</summary>
    /// <remarks>
    /// In a handler of <see cref="ObserverAdded"/> and <see cref="ObserverRemoved"/> it includes the reported change. For one path:
    /// <see cref="CoapServer.CountObservers"/>.
    /// </remarks>
    public int ObserverCount => _route.Observed.Observers;

    /// <summary>
    /// Sets limits for each resource of a route with parameters: the number of its observers, and the interval of Confirmable
    /// notifications.
    /// </summary>
    /// <param name="find">
    /// Returns the limits of the resource that a request names, always the same object for the same path; null for none. Called before the
    /// handler for each registration, also for a restored one, by any thread; it must be quick.
    /// </param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithObserverLimits(Func<CoapRequestContext, CoapResourceObserverLimits?> find)
    {
        ArgumentNullException.ThrowIfNull(find);
        return Change(settings => settings.ObserverLimits = find);
    }

    /// <summary>
    /// Notifies like <see cref="CoapServer.Notify"/> for a path of this route, but only the observers of this server, and not the followers
    /// of its changes (<see cref="CoapServer.FollowChanges"/>): for changes that every server detects by itself, for example in a shared
    /// table.
    /// </summary>
    /// <exception cref="ArgumentException">The percent-encoding is invalid.</exception>
    internal int NotifyHere(string path) => Table.NotifyAt(_route, Table.NormalizePath(path));
}
