namespace CoAP.NET.Cluster.Records;

/// <summary>What a store did with one change of a batch.</summary>
internal enum CoapWriteOutcome : byte
{
    /// <summary>The store accepted the change, durably if the engine is durable.</summary>
    Written,

    /// <summary>
    /// The store rejected the change: its fence is not the newest of the slot, so another node has the slot.
    /// </summary>
    Fenced,
}
