namespace CoAP.NET.Messaging;

/// <summary>
/// What Messaging keeps for one peer: a struct inside the channel, so that a request meets it in the memory that was fetched for the
/// channel. Small, because a server has many: what only sending needs is made when something is sent. Guarded by the shard's lock.
/// </summary>
internal struct MessagingState
{
    private MessagingExtras? _extras;
    private int _numberPlusOne;

    public MessagingState()
    {
    }

    /// <summary>The times of the peer's parameters; null until something of the peer was looked at.</summary>
    public PeerTimes Times { get; set; } = null!;

    // ---- of the duplicate memory

    /// <summary>The number in the memory's table of peers; -1 when there is nothing in the index.</summary>
    public int Number
    {
        readonly get => _numberPlusOne - 1;
        set => _numberPlusOne = value + 1;
    }

    /// <summary>At most this many bytes of the memory belong to the peer; what expired is taken off when it matters.</summary>
    public int Bytes { get; set; }

    /// <summary>Set aside for running exchanges whose reply must not be forgotten.</summary>
    public int Reserved { get; private set; }

    /// <summary>When the last finished exchange may be forgotten; only if there was one.</summary>
    public uint LastExpiry { get; set; }

    /// <summary>Exchanges that run: delivered up and not finished.</summary>
    public int Running { get; set; }

    public bool HasFinished { get; set; }

    /// <summary>Whether the memory was charged for the index as for that of an unverified peer.</summary>
    public bool IsIndexUnverified { get; set; }

    /// <summary>Before this time it is no use to look for something of the peer that may be forgotten.</summary>
    public readonly long TrimAt => _extras?.TrimAt ?? long.MinValue;

    /// <summary>What its source takes of the duplicate memory; null while nothing of the peer is there that must not run again.</summary>
    public readonly DuplicateShares.Share? Share => _extras?.Share;

    /// <summary>Of <see cref="Bytes"/> what must not run again, as far as it counts for the source.</summary>
    public readonly int Lasting => _extras?.Lasting ?? 0;

    /// <summary>Set where the peer begins no request any more, as its session goes on elsewhere.</summary>
    public readonly Retirement? Retirement => _extras?.Retirement;

    /// <summary>What few peers need; null where it was not made.</summary>
    public readonly MessagingExtras? Extras => _extras;

    // ---- of sending

    /// <summary>When the peer was last heard; long.MinValue for never.</summary>
    public long LastHeard { get; set; } = long.MinValue;

    /// <summary>Whether something of the peer was looked at.</summary>
    public readonly bool IsUsed => Times is not null;

    public readonly SendingState? Sending => _extras?.Sending;

    /// <summary>The Message IDs towards the peer, to be read.</summary>
    public readonly MessageIdSequence MessageIds => _extras?.MessageIds ?? default;

    /// <summary>Message IDs of the peer: running exchanges, and finished ones that the memory keeps.</summary>
    public MidTable Index;

    /// <summary>More is set aside for the peer, or less; for its source too.</summary>
    public void Reserve(int bytes)
    {
        Reserved += bytes;
        if (_extras?.Share is { } share)
        {
            share.Bytes += bytes;
        }
    }

    /// <summary>More is kept that must not run again, or less; it counts for the source.</summary>
    public readonly void Keep(int bytes)
    {
        if (_extras is { Share: { } share })
        {
            _extras.Lasting += bytes;
            share.Bytes += bytes;
        }
    }

    /// <summary>What few peers need; made when it is needed.</summary>
    public MessagingExtras MakeExtras() => _extras ??= new MessagingExtras();

    /// <summary>Gives <see cref="MakeExtras"/> back where there is nothing in it.</summary>
    public void TrimExtras()
    {
        if (_extras is { HasMessageIds: false, TrimAt: long.MinValue, Sending: null, Share: null, Lasting: 0 }
            and { Retirement: null, OfProcessBefore: null })
        {
            _extras = null;
        }
    }
}
