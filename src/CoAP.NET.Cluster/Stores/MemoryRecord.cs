namespace CoAP.NET.Cluster;

/// <summary>A record in memory, with its end.</summary>
internal sealed record MemoryRecord(CoapFence Fence, byte[] State, DateTimeOffset Ends)
{
    public CoapRecord ToRecord(CoapRecordKey key, DateTimeOffset now) =>
        new(key, Fence, State.ToArray(), Ends == DateTimeOffset.MaxValue ? Timeout.InfiniteTimeSpan : Ends - now);
}
