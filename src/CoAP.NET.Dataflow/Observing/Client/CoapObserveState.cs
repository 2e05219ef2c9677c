namespace CoAP.NET;

/// <summary>How far an observation is (RFC 7641 section 3).</summary>
public enum CoapObserveState
{
    /// <summary>The first registration is under way.</summary>
    Registering,

    /// <summary>The server notifies, and what came last is current.</summary>
    Observing,

    /// <summary>
    /// The server answered without Observe: it does not notify. What it answered is a plain response. It is asked again now and then,
    /// unless that was switched off.
    /// </summary>
    NotObserving,

    /// <summary>
    /// Nobody knows whether what came last is current: Max-Age ended without a notification (RFC 7641 section 3.3.1), or the connection
    /// ended (RFC 8323 section 3.4); then <see cref="CoapObservation.Error"/> says why. A while later the registration is made again,
    /// unless that was switched off. On a connection that stands nothing becomes stale: what holds there is what came last.
    /// </summary>
    Stale,

    /// <summary>The registration is being made again, or will be after a while; <see cref="CoapObservation.Error"/> says why.</summary>
    Reregistering,

    /// <summary>
    /// The observation has ended, as registrations are not made again or the endpoint was stopped; <see cref="CoapObservation.Error"/> says
    /// why.
    /// </summary>
    Failed,

    /// <summary>The observation was disposed.</summary>
    Cancelled,
}
