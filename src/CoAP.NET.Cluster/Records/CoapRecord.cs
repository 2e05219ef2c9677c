using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Records;

/// <summary>A record of a store.</summary>
/// <param name="Key">The key.</param>
/// <param name="Fence">The fence under which it was written.</param>
/// <param name="State">Its content. The caller owns the memory and may overwrite it: a store must not keep it.</param>
/// <param name="Lifetime">The remaining lifetime by the clock of the store; <see cref="Timeout.InfiniteTimeSpan"/> for no end.</param>
internal sealed record CoapRecord(CoapRecordKey Key, CoapFencingToken Fence, ReadOnlyMemory<byte> State, TimeSpan Lifetime)
{
    /// <summary>
    /// Whether the store that returned it had lost writes after it: see <see cref="CoapClusterSlotMap.StaleFence"/>. A store may know that
    /// before this node reads the next map.
    /// </summary>
    public bool IsStale { get; init; }
}
