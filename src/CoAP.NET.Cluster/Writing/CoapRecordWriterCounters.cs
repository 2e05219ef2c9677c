namespace CoAP.NET.Cluster.Writing;

/// <summary>The counters of a <see cref="CoapRecordWriteQueue"/>.</summary>
internal sealed record CoapRecordWriterCounters
{
    /// <summary>Pending changes, including those being written.</summary>
    public int Waiting { get; init; }

    /// <summary>The bytes of the pending changes.</summary>
    public long WaitingBytes { get; init; }

    /// <summary>Changes that the store confirmed.</summary>
    public long Written { get; init; }

    /// <summary>Changes that the store rejected because another node owns their slot.</summary>
    public long Fenced { get; init; }

    /// <summary>Changes replaced by a newer one of the same record before they were written.</summary>
    public long Replaced { get; init; }

    /// <summary>Changes dropped because the queue was full, or at disposal: they are not in the store.</summary>
    public long Dropped { get; init; }

    /// <summary>Promises refused because the queue was full.</summary>
    public long Refused { get; init; }

    public long Batches { get; init; }

    /// <summary>Failed batches. Their changes are written again.</summary>
    public long Failures { get; init; }
}
