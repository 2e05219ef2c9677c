namespace CoAP.NET;

// The observers of the route.
public sealed partial class CoapRouteHandlerBuilder
{
    /// <summary>Raised when a client has become an observer of the route, just before the response to its registration is sent.</summary>
    /// <remarks>
    /// Repeated registrations of a client do not raise it. Events of one route are raised one after the other, with no lock held, on the
    /// receiving thread or, for example after a timeout, on a thread of the library; do not block in a handler. The library counts and logs
    /// exceptions of handlers. While a handler is busy, at most 4,096 further events wait; others are dropped and counted as
    /// <see cref="CoapCounter.HandlerErrors"/>. Therefore read <see cref="ObserverCount"/> instead of counting events.
    /// </remarks>
    public event EventHandler<CoapObserverChange>? ObserverCame
    {
        add => _route.Observed.Listen(this).Came += value;
        remove => _route.Observed.Listen(this).Came -= value;
    }

    /// <summary>Raised when a client is no longer an observer, with the reason; see <see cref="ObserverCame"/>.</summary>
    public event EventHandler<CoapObserverChange>? ObserverWent
    {
        add => _route.Observed.Listen(this).Went += value;
        remove => _route.Observed.Listen(this).Went -= value;
    }

    /// <summary>
    /// Raised when a client acknowledged a Confirmable notification, and on connections (RFC 8323) when a notification was passed to the
    /// connection, which delivers it; see <see cref="ObserverCame"/>.
    /// </summary>
    /// <remarks>Non-confirmable notifications are not acknowledged.</remarks>
    public event EventHandler<CoapObserverChange>? ObserverAcknowledged
    {
        add => _route.Observed.Listen(this).Acknowledged += value;
        remove => _route.Observed.Listen(this).Acknowledged -= value;
    }

    /// <summary>The number of observers of the route: pairs of a client and a token, over all its paths.</summary>
    /// <remarks>
    /// In a handler of <see cref="ObserverCame"/> and <see cref="ObserverWent"/> it includes the reported change. For one path:
    /// <see cref="CoapServer.CountObservers"/>.
    /// </remarks>
    public int ObserverCount => _route.Observed.Observers;

    /// <summary>
    /// Sets limits for each resource of a route with parameters: the number of its observers, and the interval of Confirmable
    /// notifications.
    /// </summary>
    /// <param name="find">
    /// Returns the terms of the resource that a request names, always the same object for the same path; null for none. Called before the
    /// handler for each registration, and for each that <see cref="CoapServer.RestoreObserver"/> restores, by any thread; it must be quick.
    /// </param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithObserverTerms(Func<CoapRequest, CoapObserverTerms?> find)
    {
        ArgumentNullException.ThrowIfNull(find);
        return Change(settings => settings.ObserverTerms = find);
    }

    /// <summary>
    /// Notifies like <see cref="CoapServer.Notify"/> for a path of this route, but only the observers of this server, and not the followers
    /// of its changes (<see cref="CoapServer.FollowChanges"/>): for changes that every server detects by itself, for example in a shared
    /// table.
    /// </summary>
    /// <param name="path">The whole path in URI form, such as <c>/devices/7</c>, percent-encoded as in a URI.</param>
    /// <returns>The number of observers of the path here.</returns>
    /// <exception cref="FormatException">The percent-encoding is invalid.</exception>
    public int NotifyHere(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return Table.NotifyAt(_route, Table.NormalizePath(path));
    }
}
