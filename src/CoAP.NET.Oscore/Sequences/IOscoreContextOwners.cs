namespace CoAP.NET.Oscore;

/// <summary>A store of several nodes, which lets each context be used at one of them at a time. Thread-safe.</summary>
internal interface IOscoreContextOwners
{
    /// <summary>Returns where a context may be used that this process has opened.</summary>
    OscoreContextAvailability OwnerOf(OscoreStoreKey key, ulong epoch);

    /// <summary>Returns what relays a request to the node that may use its context. That node answers through this one.</summary>
    /// <returns>Null if it cannot be relayed. A relayed request may be lost; its client then retransmits it.</returns>
    Action<CoapMessage>? FindRelay(OscoreStoreKey key, CoapChannel channel);
}
