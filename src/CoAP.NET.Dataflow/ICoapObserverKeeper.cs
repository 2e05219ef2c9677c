namespace CoAP.NET;

/// <summary>
/// Keeps who observes the resources of an endpoint (RFC 7641) where it outlives the process; <see cref="CoapServer.TryRestoreObserver"/>
/// puts an observer back. Set by <see cref="CoapEndpointOptions.ObserverKeeper"/>. Called by one thread at a time, in the order in which
/// things happened, and without a lock; it must not wait, so what takes time is queued.
/// </summary>
/// <remarks>
/// It is not told of observers that no other process can go on with: those on connections of TCP, TLS and WebSockets, which end with them
/// (RFC 8323 section 7.4), and those that are protected by OSCORE, whose notifications are bound to the registration as this process saw it
/// (RFC 8613 section 5.4).
/// </remarks>
public interface ICoapObserverKeeper
{
    /// <summary>A client observes a resource, or was put back as an observer.</summary>
    /// <param name="observer">Who, and what.</param>
    void Registered(CoapKeptObserver observer);

    /// <summary>
    /// A client is still an observer, as it acknowledged a notification or registered again: for whoever forgets observers of which nothing
    /// was heard for long. Told at most once in 12 hours of each, and at least once in 36, as each is asked to acknowledge a notification
    /// in a day (RFC 7641 section 4.5). Does nothing by default.
    /// </summary>
    /// <param name="observer">Who, and what.</param>
    void Confirmed(CoapKeptObserver observer)
    {
    }

    /// <summary>
    /// A client is an observer no more. Not called while the endpoint stops: whoever observes then is to be put back after the start. With
    /// <see cref="CoapObserverEnd.HandedOver"/> it is to be kept too: another process goes on with it.
    /// </summary>
    /// <param name="observer">Who, and what: known by its peer and the token of its request.</param>
    /// <param name="end">Why.</param>
    void Removed(CoapKeptObserver observer, CoapObserverEnd end);
}
