namespace CoAP.NET;

// Who observes the route.
public sealed partial class CoapRouteHandlerBuilder
{
    /// <summary>
    /// Raised when a client has become an observer of the route: the answer to its registration is about to leave. A registration that a
    /// client makes again is no news. Events of one route come one after the other, with no lock held, on the thread that receives or, as
    /// where a time ran out, on a thread of the library; do not block in a handler. What a handler throws is counted and logged. While a
    /// handler is busy at most 4,096 more events wait; others are left out and counted as <see cref="CoapCounter.HandlerErrors"/>, so look
    /// at <see cref="ObserverCount"/> rather than count events.
    /// </summary>
    public event EventHandler<CoapObserverChange>? ObserverCame
    {
        add => _route.Observed.Listen(this).Came += value;
        remove => _route.Observed.Listen(this).Came -= value;
    }

    /// <summary>Raised when a client is an observer no more, with the reason; see <see cref="ObserverCame"/>.</summary>
    public event EventHandler<CoapObserverChange>? ObserverWent
    {
        add => _route.Observed.Listen(this).Went += value;
        remove => _route.Observed.Listen(this).Went -= value;
    }

    /// <summary>
    /// Raised when a client acknowledged a Confirmable notification, and on connections (RFC 8323) when a notification was handed to the
    /// connection, which delivers it; see <see cref="ObserverCame"/>. Non-confirmable notifications are acknowledged by nobody.
    /// </summary>
    public event EventHandler<CoapObserverChange>? ObserverAcknowledged
    {
        add => _route.Observed.Listen(this).Acknowledged += value;
        remove => _route.Observed.Listen(this).Acknowledged -= value;
    }

    /// <summary>
    /// How many observers the route has: pairs of a client and a token, over all its paths. In a handler of <see cref="ObserverCame"/> and
    /// <see cref="ObserverWent"/> it counts what they tell. Of one path: <see cref="CoapServer.CountObservers"/>.
    /// </summary>
    public int ObserverCount => _route.Observed.Observers;

    /// <summary>
    /// Has each resource of a route with parameters say for itself how many may observe it, and how often a notification is Confirmable.
    /// </summary>
    /// <param name="find">
    /// Finds the terms of the resource that a request names, always the same object for the same path; null for none. Called before the
    /// handler for each registration, also one that <see cref="CoapServer.RestoreObserver"/> puts back, by any thread; it must be quick.
    /// </param>
    /// <returns>This object.</returns>
    public CoapRouteHandlerBuilder WithObserverTerms(Func<CoapRequest, CoapObserverTerms?> find)
    {
        ArgumentNullException.ThrowIfNull(find);
        return Change(settings => settings.ObserverTerms = find);
    }

    /// <summary>
    /// As <see cref="CoapServer.Notify"/> for a path of this route, but tells observers of this server only and nobody who follows its
    /// changes (<see cref="CoapServer.FollowChanges"/>): for what every server learns by itself, such as from a table that all of them
    /// hold.
    /// </summary>
    /// <param name="path">The whole path in URI form, such as <c>/devices/7</c>, percent-encoded where a URI would be.</param>
    /// <returns>How many observers the path has here.</returns>
    /// <exception cref="FormatException">The percent-encoding is wrong.</exception>
    public int NotifyHere(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        return Table.NotifyAt(_route, Table.NormalizePath(path));
    }
}
