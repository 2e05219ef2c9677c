namespace CoAP.NET.Cluster;

/// <summary>A record that is to be put into a store, or removed from it, under the fence of its slot.</summary>
public readonly struct CoapRecordChange
{
    /// <summary>The length of <see cref="State"/> at most: 65,536 bytes.</summary>
    public const int MaxStateLength = 65_536;

    private CoapRecordChange(CoapRecordKey key, CoapFence fence, bool isRemoval, ReadOnlyMemory<byte> state, TimeSpan lifetime)
    {
        Key = key;
        Fence = fence;
        IsRemoval = isRemoval;
        State = state;
        Lifetime = lifetime;
    }

    /// <summary>The record.</summary>
    public CoapRecordKey Key { get; }

    /// <summary>The fence under which the writer has the slot.</summary>
    public CoapFence Fence { get; }

    /// <summary>Whether it is to be removed.</summary>
    public bool IsRemoval { get; }

    /// <summary>What it is to hold; empty for a removal.</summary>
    public ReadOnlyMemory<byte> State { get; }

    /// <summary>How long it is to last; <see cref="Timeout.InfiniteTimeSpan"/> for until it is removed.</summary>
    public TimeSpan Lifetime { get; }

    /// <summary>Puts a record in the place of what is there under its key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="fence">The fence under which the writer has the slot of the key.</param>
    /// <param name="state">What it holds, at most <see cref="MaxStateLength"/> bytes. They must not change until the write has
    /// ended.</param>
    /// <param name="lifetime">How long it lasts from the write on, by the store's clock, so that clocks of nodes need not agree;
    /// <see cref="Timeout.InfiniteTimeSpan"/> for until it is removed.</param>
    /// <returns>The change.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The state is too long, or the lifetime is not positive.</exception>
    public static CoapRecordChange Put(CoapRecordKey key, CoapFence fence, ReadOnlyMemory<byte> state, TimeSpan lifetime)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(state.Length, MaxStateLength, nameof(state));
        if (lifetime != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(lifetime, TimeSpan.Zero);
        }

        return new CoapRecordChange(key, fence, isRemoval: false, state, lifetime);
    }

    /// <summary>Removes a record, if it is there.</summary>
    /// <param name="key">The key.</param>
    /// <param name="fence">The fence under which the writer has the slot of the key.</param>
    /// <returns>The change.</returns>
    public static CoapRecordChange Remove(CoapRecordKey key, CoapFence fence) =>
        new(key, fence, isRemoval: true, default, Timeout.InfiniteTimeSpan);
}
