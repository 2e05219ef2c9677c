namespace CoAP.NET.Tables;

/// <summary>
/// A decision of <see cref="ICoapReplicatedTableRules.Decide"/>: the change of the entry, and the reply. The default value keeps the entry,
/// with an empty reply.
/// </summary>
internal readonly record struct CoapTableDecision
{
    /// <summary>Whether a value is put.</summary>
    public bool IsPut { get; private init; }

    /// <summary>Whether the entry is removed.</summary>
    public bool IsRemoval { get; private init; }

    /// <summary>The new value; empty unless <see cref="IsPut"/>.</summary>
    public ReadOnlyMemory<byte> Value { get; private init; }

    /// <summary>The new lifetime of the entry; <see cref="Timeout.InfiniteTimeSpan"/> for no end.</summary>
    public TimeSpan Lifetime { get; private init; }

    /// <summary>Whether the reply waits until the store has confirmed the change.</summary>
    public bool IsDurable { get; private init; }

    public ReadOnlyMemory<byte> Reply { get; private init; }

    /// <summary>Keeps the entry unchanged.</summary>
    /// <param name="reply">The reply, at most <see cref="CoapReplicatedTable.MaxValueLength"/> bytes. It must not change
    /// afterwards.</param>
    /// <returns>The decision.</returns>
    /// <exception cref="ArgumentException">The reply is too long.</exception>
    public static CoapTableDecision Keep(ReadOnlyMemory<byte> reply = default) => new() { Reply = Checked(reply, nameof(reply)) };

    /// <summary>Puts a value, whether or not there is an entry.</summary>
    /// <param name="value">The value, at most <see cref="CoapReplicatedTable.MaxValueLength"/> bytes, which are copied.</param>
    /// <param name="lifetime">The lifetime of the entry from the change on; <see cref="Timeout.InfiniteTimeSpan"/> for no end.</param>
    /// <param name="reply">The reply, at most <see cref="CoapReplicatedTable.MaxValueLength"/> bytes. It must not change
    /// afterwards.</param>
    /// <param name="isDurable">Whether the store must confirm the change before it takes place, is reported, and is answered. Default true.
    /// Use false for values that change often: the change takes place at once at its node and is written later, and other nodes get it
    /// then. If its node crashes before that, it is lost. The first value of an entry is always durable.</param>
    /// <returns>The decision.</returns>
    /// <exception cref="ArgumentException">The value or the reply is too long.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The lifetime is not positive.</exception>
    public static CoapTableDecision Put(
        ReadOnlyMemory<byte> value, TimeSpan lifetime, ReadOnlyMemory<byte> reply = default, bool isDurable = true)
    {
        if (lifetime != Timeout.InfiniteTimeSpan)
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(lifetime, TimeSpan.Zero);
        }

        return new CoapTableDecision
        {
            IsPut = true,
            Value = Checked(value, nameof(value)),
            Lifetime = lifetime,
            Reply = Checked(reply, nameof(reply)),
            IsDurable = isDurable,
        };
    }

    /// <summary>Removes the entry after the store has confirmed it. Does nothing if there is none.</summary>
    /// <param name="reply">The reply, at most <see cref="CoapReplicatedTable.MaxValueLength"/> bytes. It must not change
    /// afterwards.</param>
    /// <returns>The decision.</returns>
    /// <exception cref="ArgumentException">The reply is too long.</exception>
    public static CoapTableDecision Remove(ReadOnlyMemory<byte> reply = default) =>
        new() { IsRemoval = true, IsDurable = true, Reply = Checked(reply, nameof(reply)) };

    private static ReadOnlyMemory<byte> Checked(ReadOnlyMemory<byte> bytes, string name) =>
        bytes.Length <= CoapReplicatedTable.MaxValueLength
        ? bytes
        : throw new ArgumentException($"It may have at most {CoapReplicatedTable.MaxValueLength} bytes, but has {bytes.Length}.", name);
}
