namespace CoAP.NET.Messaging;

/// <summary>
/// The messaging state of one peer: a struct inside the channel, so a request finds it in the memory that is already prefetched. Small,
/// because a server has many peers: state for sending is created on first use. Guarded by the shard's lock.
/// </summary>
internal struct MessagingState
{
    private MessagingExtras? _extras;
    private int _numberPlusOne;

    public MessagingState()
    {
    }

    /// <summary>The times of the peer's parameters; null before the first use of the peer.</summary>
    public PeerTimes Times { get; set; } = null!;

    // ---- Duplicate memory

    /// <summary>The number in the memory's table of peers; -1 when the index is empty.</summary>
    public int Number
    {
        readonly get => _numberPlusOne - 1;
        set => _numberPlusOne = value + 1;
    }

    /// <summary>
    /// The maximum number of bytes of the memory that belong to the peer; expired entries are subtracted when it matters.
    /// </summary>
    public int Bytes { get; set; }

    /// <summary>The bytes reserved for running exchanges whose reply must not be forgotten.</summary>
    public int Reserved { get; private set; }

    /// <summary>When the last finished exchange may be forgotten; valid only if there was one.</summary>
    public uint LastExpiry { get; set; }

    /// <summary>The number of running exchanges: delivered up and not finished.</summary>
    public int Running { get; set; }

    public bool HasFinished { get; set; }

    /// <summary>Whether the memory was charged for the index as for that of an unverified peer.</summary>
    public bool IsIndexUnverified { get; set; }

    /// <summary>No entries of the peer can expire before this time, so an earlier search is useless.</summary>
    public readonly long TrimAt => _extras?.TrimAt ?? long.MinValue;

    /// <summary>
    /// The share of its source in the duplicate memory; null while the peer has no entries that must not be processed again.
    /// </summary>
    public readonly DuplicateShares.Share? Share => _extras?.Share;

    /// <summary>The part of <see cref="Bytes"/> that must not be processed again, as far as it counts for the source.</summary>
    public readonly int Lasting => _extras?.Lasting ?? 0;

    /// <summary>Set when the peer may begin no more requests, because its session continues elsewhere.</summary>
    public readonly Retirement? Retirement => _extras?.Retirement;

    /// <summary>Rarely used state; null before its first use.</summary>
    public readonly MessagingExtras? Extras => _extras;

    // ---- Sending

    /// <summary>The time of the peer's last message; long.MinValue for never.</summary>
    public long LastHeard { get; set; } = long.MinValue;

    /// <summary>Whether the peer was used at all.</summary>
    public readonly bool IsUsed => Times is not null;

    public readonly SendingState? Sending => _extras?.Sending;

    /// <summary>The Message IDs for the peer, for reading.</summary>
    public readonly MessageIdSequence MessageIds => _extras?.MessageIds ?? default;

    /// <summary>The Message IDs of the peer: running exchanges, and kept finished ones.</summary>
    public MidTable Index;

    /// <summary>Changes the reserved bytes of the peer, and of its source.</summary>
    public void Reserve(int bytes)
    {
        Reserved += bytes;
        if (_extras?.Share is { } share)
        {
            share.Bytes += bytes;
        }
    }

    /// <summary>Changes the bytes of entries that must not be processed again; they count for the source.</summary>
    public readonly void Keep(int bytes)
    {
        if (_extras is { Share: { } share })
        {
            _extras.Lasting += bytes;
            share.Bytes += bytes;
        }
    }

    /// <summary>Returns the rarely used state, created on first use.</summary>
    public MessagingExtras MakeExtras() => _extras ??= new MessagingExtras();

    /// <summary>Drops the result of <see cref="MakeExtras"/> when it is empty.</summary>
    public void TrimExtras()
    {
        if (_extras is { HasMessageIds: false, TrimAt: long.MinValue, Sending: null, Share: null, Lasting: 0 }
            and { Retirement: null, OfProcessBefore: null })
        {
            _extras = null;
        }
    }
}
