namespace CoAP.NET.Observing;

/// <summary>
/// Stores the observers of an endpoint (RFC 7641) beyond the life of the process; <see cref="CoapServer.TryRestoreObserver"/> restores one.
/// </summary>
/// <remarks>
/// Set by <see cref="CoapMultiProcessOptions.ObserverStore"/>. One thread at a time calls it, in the order of the events, and without a
/// lock. It must not wait, so queue slow work. It does not receive observers that no other process can take over: those on connections of
/// TCP, TLS and WebSockets, which end with the connection (RFC 8323 section 7.4), and those protected by OSCORE, whose notifications are
/// bound to the registration as this process saw it (RFC 8613 section 5.4).
/// </remarks>
internal interface ICoapObserverStore
{
    /// <summary>Called when a client has started to observe a resource, or was restored as an observer.</summary>
    /// <param name="observer">The client and its registration.</param>
    void Registered(CoapPersistedObserver observer);

    /// <summary>Called when a client is still an observer, because it acknowledged a notification or registered again.</summary>
    /// <remarks>
    /// For observer stores that expire silent observers. Called at most once in 12 hours for each observer, and at least once in 36,
    /// because each receives a Confirmable notification once a day (RFC 7641 section 4.5). Does nothing by default.
    /// </remarks>
    /// <param name="observer">The client and its registration.</param>
    void Confirmed(CoapPersistedObserver observer)
    {
    }

    /// <summary>Called when a client is no longer an observer.</summary>
    /// <remarks>
    /// Not called while the endpoint stops: restore these observers after the start. Also keep the observer after
    /// <see cref="CoapObserverEnd.HandedOver"/>: another process takes it over.
    /// </remarks>
    /// <param name="observer">The client and its registration, identified by its peer and the token of its request.</param>
    /// <param name="end">The reason.</param>
    void Removed(CoapPersistedObserver observer, CoapObserverEnd end);
}
