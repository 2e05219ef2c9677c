namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// A transfer that is kept for a peer between its blocks, for a limited time and within a limit of bytes. Guarded by Shard.Gate.
/// </summary>
internal abstract class StoredTransfer : WheelTimer
{
    // While others are refused, a body has to be through after so many times MAX_TRANSMIT_SPAN at the latest (48 minutes).
    private const int MaxSpans = 64;

    private static readonly long s_longest = TimeSpan.FromDays(300).Ticks;

    private long _paceAt;
    private long _paceFrom;

    protected StoredTransfer(TransferKey key, CoapChannel channel)
    {
        Key = key;
        Channel = channel;
    }

    public TransferKey Key { get; }

    public CoapChannel Channel { get; }

    /// <summary>
    /// The store that counts it, and checks it when it was idle for a time. Set by the store; null once it is released.
    /// </summary>
    public TransferStore? Store { get; set; }

    /// <summary>Of whose share it takes. Set by the store.</summary>
    public BudgetAccount Account { get; set; } = null!;

    /// <summary>When it was used last, in units of 100 ns.</summary>
    public long LastUse { get; set; }

    /// <summary>How many bytes of the bound for all it takes.</summary>
    public long Charge { get; set; }

    /// <summary>How many bytes of the share of its source it takes; what is shared with others counts in full.</summary>
    public long ShareCharge { get; set; }

    /// <summary>Which part of the bound it takes of. Set by the store.</summary>
    public TransferBudgetTier Part { get; set; }

    /// <summary>Whether its peer is far slower than who means to end it. It goes when others are refused.</summary>
    public bool IsSlow { get; private set; }

    /// <summary>Whether nothing more is expected of its peer, so that it goes first.</summary>
    public virtual bool IsDone => false;

    /// <summary>Whether it waits for the server and not for its peer.</summary>
    public virtual bool WaitsForServer => false;

    /// <summary>Whether all of it came, so that it waits for its handler, which may take its time.</summary>
    public virtual bool IsWhole => false;

    /// <summary>The place among the transfers of the peer; the first was idle longest.</summary>
    public LinkedListNode<StoredTransfer>? PeerNode { get; set; }

    /// <summary>The place among the transfers of its part in the shard; the first was idle longest.</summary>
    public LinkedListNode<StoredTransfer>? Node { get; set; }

    /// <summary>
    /// How long it is kept without being used: EXCHANGE_LIFETIME, within which the peer may still send copies; and, where that is longer,
    /// MAX_TRANSMIT_WAIT, for which a peer that has used all its Message IDs may be silent before it goes on.
    /// </summary>
    public virtual long IdleTime
    {
        get
        {
            CoapTransmissionParameters parameters = Channel.Parameters;
            return Math.Min(Math.Max(parameters.ExchangeLifetime.Ticks, parameters.MaxTransmitWait.Ticks), s_longest);
        }
    }

    /// <summary>
    /// For how long its peer may be silent while others want its room, in units of 100 ns: MAX_TRANSMIT_SPAN, within which copies of a
    /// block that was lost still come, and four times ACK_TIMEOUT at least, as without retransmissions that is nothing.
    /// </summary>
    public long Timeout => Math.Max(Channel.Parameters.MaxTransmitSpan.Ticks, ShortTimeout);

    /// <summary>See <see cref="Timeout"/>: of an address that was never verified.</summary>
    public long ShortTimeout => Math.Max(Channel.Parameters.AckTimeout.Ticks * 4, TimeSpan.TicksPerSecond);

    /// <summary>Begins to measure how fast the peer is.</summary>
    public void BeginPace(long now)
    {
        _paceAt = now;
        _paceFrom = 0;
    }

    /// <summary>Notes the progress of the peer.</summary>
    /// <param name="position">How far, in bytes.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void NotePace(long position, long now)
    {
        long passed = now - _paceAt;
        long span = Timeout;
        if (passed >= span)
        {
            IsSlow = position - _paceFrom < Math.Max(1, ShareCharge / MaxSpans) * (double)passed / span;
            _paceAt = now;
            _paceFrom = position;
        }
    }

    /// <summary>The handler has answered the request whose body this is.</summary>
    /// <returns>Whether the response goes out now, and not with a later block of the body.</returns>
    public virtual bool OnReplied(CoapResult result) => true;

    /// <summary>Handles the end of a transfer that was given up and removed from its store: readers of the rest are informed.</summary>
    public virtual void OnGivenUp(string reason)
    {
    }

    internal override void Fire(long now) => Store?.OnIdle(this, now);
}
