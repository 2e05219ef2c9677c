namespace CoAP.NET.Cluster;

/// <summary>What a store has under a key.</summary>
/// <param name="Key">The key.</param>
/// <param name="Fence">The fence under which it was written.</param>
/// <param name="State">Its bytes. They belong to the caller.</param>
/// <param name="Lifetime">How long it still lasts by the store's clock; <see cref="Timeout.InfiniteTimeSpan"/> for until it is removed.
/// </param>
public sealed record CoapRecord(CoapRecordKey Key, CoapFence Fence, ReadOnlyMemory<byte> State, TimeSpan Lifetime);
