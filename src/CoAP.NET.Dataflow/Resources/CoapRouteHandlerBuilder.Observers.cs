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
}
