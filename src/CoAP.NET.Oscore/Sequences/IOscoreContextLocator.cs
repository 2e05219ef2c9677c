namespace CoAP.NET.Oscore.Sequences;

/// <summary>
/// What a store that several nodes share knows about its contexts: whether this node may use one, and how to relay its requests.
/// Thread-safe.
/// </summary>
internal interface IOscoreContextLocator
{
    /// <summary>
    /// Why no reserved number may be used any more: the store is gone or replaced, and the next process would use them again. Null for no
    /// reason.
    /// </summary>
    OscoreStoreException? Loss { get; }

    /// <summary>Returns whether this process may use a context that it has opened.</summary>
    OscoreContextLocation AvailabilityOf(OscoreStoreKey key, ulong epoch);

    /// <summary>Returns what relays a request to the node that may use its context. That node answers through this one.</summary>
    /// <returns>Null if it cannot be relayed. A relayed request may be lost; its client then retransmits it.</returns>
    Action<CoapMessage>? FindRelay(OscoreStoreKey key, CoapChannel channel);
}
