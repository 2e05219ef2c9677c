namespace CoAP.NET;

/// <summary>
/// The reason why a client no longer observes a resource of this server, for <see cref="CoapRouteHandlerBuilder.ObserverRemoved"/>.
/// </summary>
public enum CoapObserverEnd
{
    /// <summary>The client deregistered: Observe 1 (RFC 7641 section 3.6).</summary>
    Deregistered,

    /// <summary>The client rejected a notification with a Reset (RFC 7641 section 3.2).</summary>
    Rejected,

    /// <summary>The client did not acknowledge a notification, or was unreachable (RFC 7641 section 4.5).</summary>
    Lost,

    /// <summary>Its connection ended (RFC 8323 section 7.4).</summary>
    Disconnected,

    /// <summary>
    /// The client got an error, or a notification that the Content-Format has changed (RFC 7641 section 4.2), or the handler now declines
    /// observers (<c>WithDeclinedObserver</c>).
    /// </summary>
    Failed,

    /// <summary>The route was removed; the client got 4.04.</summary>
    Unmapped,

    /// <summary>
    /// Another observer took its place: the same client used the token for another resource, or newcomers displaced a peer that was heard
    /// once, or a client of a source with fewer observers needed its place (<see cref="CoapObserveLimits.MaxObservers"/>,
    /// <see cref="CoapResourceObserverLimits.MaxObservers"/>), or the resource now accepts fewer observers.
    /// </summary>
    Replaced,

    /// <summary>The response to its registration was not sent, so the client never learned that it was an observer.</summary>
    NotAnswered,

    /// <summary>The endpoint stopped.</summary>
    Stopped,

    /// <summary>
    /// Another process took over its session, and may restore the observer.
    /// </summary>
    HandedOver,
}
