namespace CoAP.NET.Messaging;

/// <summary>
/// The Message IDs for one peer: a permuted counter with a random start, and the times of its use. The 65,536 values are taken in 64
/// blocks; a block is reused when its last Message ID is older than EXCHANGE_LIFETIME (RFC 7252 section 4.4). A struct inside the peer's
/// state.
/// </summary>
internal struct MessageIdSequence
{
    private const int BlockBits = 10;
    private const int Blocks = 1 << (16 - BlockBits);

    private readonly ushort _start;
    private long[]? _lastUses; // per block, once the first one is full
    private long _lastUse;
    private ulong _taken;

    public MessageIdSequence(ushort start) => _start = start;

    /// <summary>The next counter, where a later sequence to the same address may continue.</summary>
    public readonly ushort Next => (ushort)(_start + _taken);

    /// <summary>The time of the last Message ID; valid only if one was taken.</summary>
    public readonly long LastUse => _lastUse;

    public readonly bool WasUsed => _taken > 0;

    public readonly int Taken => (int)Math.Min(int.MaxValue, _taken);

    /// <summary>Whether the next counter begins a block, so it may not be free yet.</summary>
    public readonly bool IsAtBlock => (_taken & ((1 << BlockBits) - 1)) == 0;

    /// <summary>Returns when the next Message ID is free, in units of 100 ns; it is free now if that is not in the future.</summary>
    public readonly long FreeAt(long lifetime)
    {
        if ((_taken & ((1 << BlockBits) - 1)) != 0 || _taken < 1 << 16)
        {
            return long.MinValue;
        }

        return _lastUses![(int)(_taken >> BlockBits) & (Blocks - 1)] + lifetime;
    }

    /// <summary>Takes the next counter. It must be free.</summary>
    public ushort Take(long now)
    {
        ushort counter = Next;
        _lastUse = now;
        _taken++;
        if ((_taken & ((1 << BlockBits) - 1)) == 0)
        {
            _lastUses ??= new long[Blocks];
            _lastUses[(int)((_taken - 1) >> BlockBits) & (Blocks - 1)] = now;
        }

        return counter;
    }
}
