namespace CoAP.NET.Cluster;

/// <summary>Counts the changes of a <see cref="CoapRecordWriter"/>.</summary>
public sealed record CoapRecordWriterCounters
{
    /// <summary>Pending changes, including those that are being written.</summary>
    public int Waiting { get; init; }

    /// <summary>The bytes of the pending changes.</summary>
    public long WaitingBytes { get; init; }

    /// <summary>Changes that the store confirmed.</summary>
    public long Written { get; init; }

    /// <summary>Changes that the store rejected because another node has their slot.</summary>
    public long Fenced { get; init; }

    /// <summary>Changes that were never written because a newer one of the same record replaced them.</summary>
    public long Replaced { get; init; }

    /// <summary>Changes that were dropped because the queue was full, or at disposal: they are not in the store.</summary>
    public long Dropped { get; init; }

    /// <summary>Promises that were refused because the queue was full.</summary>
    public long Refused { get; init; }

    /// <summary>Batches that were written.</summary>
    public long Batches { get; init; }

    /// <summary>Batches that failed. Their changes are written again.</summary>
    public long Failures { get; init; }
}
