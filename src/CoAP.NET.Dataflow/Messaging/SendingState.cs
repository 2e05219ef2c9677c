using WaitingList = CoAP.NET.Shard.Chain<CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.WaitingPlace>;

namespace CoAP.NET.Messaging;

/// <summary>
/// What Messaging keeps for a peer that it sends messages of its own to (RFC 7252 sections 4.2 and 4.7). Its timer is for what waits.
/// Guarded by the shard's lock.
/// </summary>
internal sealed class SendingState : WheelTimer
{
    public const int NoId = -1;

    private readonly Transmissions _transmissions;

    public SendingState(CoapChannel peer, Transmissions transmissions)
    {
        Peer = peer;
        _transmissions = transmissions;
    }

    public CoapChannel Peer { get; }

    /// <summary>Message IDs that an acknowledgement or reset can match, to places in the table of transmissions.</summary>
    public MidTable Outstanding;

    /// <summary>Messages of ours that wait for NSTART, PROBING_RATE or a Message ID.</summary>
    public WaitingList Waiting;

    /// <summary>Replies that wait for a Message ID: neither NSTART nor PROBING_RATE holds them up.</summary>
    public WaitingList WaitingReplies;

    /// <summary>Its neighbours in the <see cref="PlaceLine"/>.</summary>
    public ChainLinks<SendingState> LineLinks;

    /// <summary>Whether it stands in the <see cref="PlaceLine"/>.</summary>
    public bool IsInLine { get; set; }

    /// <summary>What waits, as its source is charged for it (<see cref="WaitingMessages"/>); null before anything had to wait.</summary>
    public SourceLedger<SendingState>.Holding? Holding { get; set; }

    /// <summary>Outstanding interactions that NSTART counts (RFC 7252 section 4.7).</summary>
    public int Interactions { get; set; }

    /// <summary>Interactions begun since the peer was last heard.</summary>
    public int Unheard { get; set; }

    /// <summary>The Message ID of what was cancelled last before anything answered it; <see cref="NoId"/> for none.</summary>
    public int CancelledId { get; set; } = NoId;

    /// <summary>When PROBING_RATE allows the next message to a silent peer, in units of 100 ns.</summary>
    public long NextProbe { get; set; } = long.MinValue;

    /// <summary>When something was sent to it last while it was silent, in units of 100 ns.</summary>
    public long LastProbe { get; set; }

    /// <summary>
    /// The round-trip time of Confirmable messages that were sent once. Kept whatever the timing, for whoever paces by it.
    /// </summary>
    public RoundTripEstimate RoundTrip;

    /// <summary>How long messages wait, when that is measured.</summary>
    public PeerTiming? Timing { get; set; }

    internal override void Fire(long now) => _transmissions.Pump(Peer, now);
}
