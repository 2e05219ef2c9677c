using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Records;

/// <summary>A record to put into a store, or to remove from it, under the fence of its slot.</summary>
internal readonly struct CoapRecordWrite
{
    /// <summary>The maximum length of <see cref="State"/>: 65,536 bytes.</summary>
    public const int MaxStateLength = 65_536;

    private CoapRecordWrite(CoapRecordKey key, CoapFencingToken fence, bool isRemoval, ReadOnlyMemory<byte> state, TimeSpan lifetime)
    {
        Key = key;
        Fence = fence;
        IsRemoval = isRemoval;
        State = state;
        Lifetime = lifetime;
    }

    public CoapRecordKey Key { get; }

    /// <summary>The writer's fence of the slot.</summary>
    public CoapFencingToken Fence { get; }

    public bool IsRemoval { get; }

    /// <summary>The content; empty for a removal.</summary>
    public ReadOnlyMemory<byte> State { get; }

    /// <summary>The lifetime of the record after the write; <see cref="Timeout.InfiniteTimeSpan"/> for no end.</summary>
    public TimeSpan Lifetime { get; }

    /// <summary>Puts a record, replacing the one with the same key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="fence">The writer's fence of the key's slot.</param>
    /// <param name="state">The content, at most <see cref="MaxStateLength"/> bytes. It must not change until the write has
    /// completed.</param>
    /// <param name="lifetime">Its lifetime after the write, by the clock of the store, so the clocks of nodes may differ;
    /// <see cref="Timeout.InfiniteTimeSpan"/> for no end.</param>
    /// <returns>The change.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The state is too long, or the lifetime is not positive.</exception>
    public static CoapRecordWrite Put(CoapRecordKey key, CoapFencingToken fence, ReadOnlyMemory<byte> state, TimeSpan lifetime)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(state.Length, MaxStateLength, nameof(state));
        if (lifetime != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(lifetime, TimeSpan.Zero);
        }

        return new CoapRecordWrite(key, fence, isRemoval: false, state, lifetime);
    }

    /// <summary>Removes a record if it exists.</summary>
    /// <param name="key">The key.</param>
    /// <param name="fence">The writer's fence of the key's slot.</param>
    /// <returns>The change.</returns>
    public static CoapRecordWrite Remove(CoapRecordKey key, CoapFencingToken fence) =>
        new(key, fence, isRemoval: true, default, Timeout.InfiniteTimeSpan);
}
