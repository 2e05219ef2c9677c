namespace CoAP.NET.Cluster;

/// <summary>What a <see cref="CoapRecordWriter"/> did so far, and what waits.</summary>
public sealed record CoapRecordWriterCounters
{
    /// <summary>Changes that wait, those under way included.</summary>
    public int Waiting { get; init; }

    /// <summary>The bytes that they hold.</summary>
    public long WaitingBytes { get; init; }

    /// <summary>Changes that the store confirmed.</summary>
    public long Written { get; init; }

    /// <summary>Changes that fell out, as their slot changed hands.</summary>
    public long Fenced { get; init; }

    /// <summary>Changes that were never written, as a newer one of the same record came before their turn.</summary>
    public long Replaced { get; init; }

    /// <summary>Changes that were dropped for lack of room, or at the end: they are not in the store.</summary>
    public long Dropped { get; init; }

    /// <summary>Promises that were refused for lack of room.</summary>
    public long Refused { get; init; }

    /// <summary>Batches that the store took.</summary>
    public long Batches { get; init; }

    /// <summary>Batches that failed. Their changes are written again.</summary>
    public long Failures { get; init; }
}
