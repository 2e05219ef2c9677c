namespace CoAP.NET;

/// <summary>The state of an observation (RFC 7641 section 3).</summary>
public enum CoapObserveState
{
    /// <summary>The first registration is running.</summary>
    Registering,

    /// <summary>The server notifies, and the last notification is current.</summary>
    Observing,

    /// <summary>The server answered without Observe: it does not notify, and its answer is a plain response.</summary>
    /// <remarks>The observation registers again from time to time, unless that was switched off.</remarks>
    NotObserving,

    /// <summary>
    /// It is unknown whether the last notification is current: Max-Age ended without another one (RFC 7641 section 3.3.1), or the
    /// connection ended (RFC 8323 section 3.4), with the reason in <see cref="CoapObservation.Error"/>.
    /// </summary>
    /// <remarks>
    /// The observation registers again a while later, unless that was switched off. While a connection exists, nothing becomes stale: the
    /// last notification stays valid.
    /// </remarks>
    Stale,

    /// <summary>The observation registers again, or will after a delay; <see cref="CoapObservation.Error"/> has the reason.</summary>
    Reregistering,

    /// <summary>
    /// The observation has ended, because it does not register again or the endpoint was stopped; <see cref="CoapObservation.Error"/> has
    /// the reason.
    /// </summary>
    Failed,

    /// <summary>The observation was disposed.</summary>
    Cancelled,
}
