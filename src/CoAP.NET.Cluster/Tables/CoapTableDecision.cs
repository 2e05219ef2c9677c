namespace CoAP.NET.Cluster;

/// <summary>
/// What becomes of an entry, as <see cref="ICoapTableRules.Decide"/> says, and the reply to whoever asked. The default value keeps the
/// entry as it is, with an empty reply.
/// </summary>
public readonly record struct CoapTableDecision
{
    /// <summary>Whether a value is put.</summary>
    public bool IsPut { get; private init; }

    /// <summary>Whether the entry is removed.</summary>
    public bool IsRemoval { get; private init; }

    /// <summary>The new value; empty unless <see cref="IsPut"/>.</summary>
    public ReadOnlyMemory<byte> Value { get; private init; }

    /// <summary>How long the entry lasts from now on; <see cref="Timeout.InfiniteTimeSpan"/> for no end.</summary>
    public TimeSpan Lifetime { get; private init; }

    /// <summary>Whether the reply waits until the store has confirmed the change.</summary>
    public bool IsDurable { get; private init; }

    /// <summary>The reply.</summary>
    public ReadOnlyMemory<byte> Reply { get; private init; }

    /// <summary>Leaves the entry as it is.</summary>
    /// <param name="reply">The reply, at most <see cref="CoapTable.MaxValueLength"/> bytes. It must not change any more.</param>
    /// <returns>The decision.</returns>
    /// <exception cref="ArgumentException">The reply is too long.</exception>
    public static CoapTableDecision Keep(ReadOnlyMemory<byte> reply = default) => new() { Reply = Checked(reply, nameof(reply)) };

    /// <summary>Puts a value, be there an entry or not.</summary>
    /// <param name="value">The value, at most <see cref="CoapTable.MaxValueLength"/> bytes, which are copied.</param>
    /// <param name="lifetime">How long the entry lasts, from when the change takes place; <see cref="Timeout.InfiniteTimeSpan"/> for no
    /// end.</param>
    /// <param name="reply">The reply, at most <see cref="CoapTable.MaxValueLength"/> bytes. It must not change any more.</param>
    /// <param name="isDurable">
    /// Whether the store has to confirm the change before it takes place, is told to anybody and is replied to. Default true. False is for
    /// values that change often: the change takes place at once and is written later. When its node crashes, it may be lost, unless another
    /// node that knows it takes the slot over. The first value of an entry is always durable.
    /// </param>
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

    /// <summary>Removes the entry. The store has to confirm it first. Does nothing when there is none.</summary>
    /// <param name="reply">The reply, at most <see cref="CoapTable.MaxValueLength"/> bytes. It must not change any more.</param>
    /// <returns>The decision.</returns>
    /// <exception cref="ArgumentException">The reply is too long.</exception>
    public static CoapTableDecision Remove(ReadOnlyMemory<byte> reply = default) =>
        new() { IsRemoval = true, IsDurable = true, Reply = Checked(reply, nameof(reply)) };

    private static ReadOnlyMemory<byte> Checked(ReadOnlyMemory<byte> bytes, string name) => bytes.Length <= CoapTable.MaxValueLength
        ? bytes
        : throw new ArgumentException($"It has at most {CoapTable.MaxValueLength} bytes, and not {bytes.Length}.", name);
}
