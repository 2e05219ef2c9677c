namespace CoAP.NET.Exchanges;

/// <summary>The step of a cache, which also stores notifications.</summary>
internal abstract class ResponseCacheStep : OutgoingRequestStep
{
    /// <summary>
    /// Stores a notification, the newest one of its observation (RFC 7641 section 3.3): the cache answers plain requests with it while it
    /// is fresh.
    /// </summary>
    /// <param name="registration">The request that registered.</param>
    /// <param name="notification">The notification, with its whole body.</param>
    public abstract void Store(OutgoingRequest registration, CoapResponse notification);
}
