namespace CoAP.NET.Oscore.Sequences;

/// <summary>A store of several nodes, which lets each context be used at one of them at a time. Thread-safe.</summary>
internal interface IOscoreContextOwners
{
    /// <summary>
    /// Why no reserved number may be used any more: the store is gone or replaced, and the next process would use them again. Null for no
    /// reason.
    /// </summary>
    OscoreStoreException? Loss { get; }

    /// <summary>Returns where a context may be used that this process has opened.</summary>
    OscoreContextAvailability OwnerOf(OscoreStoreKey key, ulong epoch);

    /// <summary>Returns what relays a request to the node that may use its context. That node answers through this one.</summary>
    /// <returns>Null if it cannot be relayed. A relayed request may be lost; its client then retransmits it.</returns>
    Action<CoapMessage>? FindRelay(OscoreStoreKey key, CoapChannel channel);
}
