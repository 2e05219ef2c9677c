namespace CoAP.NET;

/// <summary>How far an observation is (RFC 7641 section 3).</summary>
public enum CoapObserveState
{
    /// <summary>The first registration is under way.</summary>
    Registering,

    /// <summary>The server notifies, and what came last is current.</summary>
    Observing,

    /// <summary>The server answered without Observe: it does not notify. What it answered is a plain response. It is asked again now and then, unless that was switched off.</summary>
    NotObserving,

    /// <summary>Max-Age ended without a notification: what came last is not current any more (RFC 7641 section 3.3.1). Some seconds later the registration is made again, unless that was switched off.</summary>
    Stale,

    /// <summary>The registration is being made again, or will be after a while; <see cref="CoapObservation.Error"/> says why.</summary>
    Reregistering,

    /// <summary>The observation has ended, as registrations are not made again or the endpoint was stopped; <see cref="CoapObservation.Error"/> says why.</summary>
    Failed,

    /// <summary>The observation was disposed.</summary>
    Cancelled,
}
