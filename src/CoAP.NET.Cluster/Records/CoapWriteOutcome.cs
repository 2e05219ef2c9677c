namespace CoAP.NET.Cluster;

/// <summary>What became of one change of a batch.</summary>
public enum CoapWriteOutcome : byte
{
    /// <summary>The store has it, durably as far as the engine keeps anything.</summary>
    Written,

    /// <summary>
    /// The slot changed hands: the fence of the change is not the newest one. The store is as before, and the writer does not have the slot
    /// any more.
    /// </summary>
    Fenced,
}
