using OutstandingList = CoAP.NET.Shard.IntrusiveList<
    CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.OutstandingTransmissionLinksAccessor>;
using WaitingList = CoAP.NET.Shard.IntrusiveList<CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.WaitingTransmissionLinksAccessor>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The messaging state of a peer that gets messages of this endpoint (RFC 7252 sections 4.2 and 4.7). Its timer serves waiting messages.
/// Guarded by the shard's lock.
/// </summary>
internal sealed class PeerSendingState : WheelTimer
{
    public const int NoId = -1;

    private readonly ITimerOwner _owner;

    public PeerSendingState(CoapChannel peer, ITimerOwner owner)
    {
        Peer = peer;
        _owner = owner;
    }

    public CoapChannel Peer { get; }

    /// <summary>The messages that an acknowledgement or reset can match, in the order of sending.</summary>
    public OutstandingList Outstanding;

    /// <summary>Messages that wait for NSTART, PROBING_RATE or a Message ID, in the order of their rounds.</summary>
    public WaitingList Waiting;

    /// <summary>The current round: that of the first waiting message when one last left.</summary>
    public long Round { get; set; }

    /// <summary>Replies that wait for a Message ID; neither NSTART nor PROBING_RATE delays them.</summary>
    public WaitingList WaitingReplies;

    public ListLinks<PeerSendingState> LineLinks;

    /// <summary>Whether the peer is in the <see cref="PeerSendTurnQueue"/>.</summary>
    public bool IsInLine { get; set; }

    /// <summary>The charge of its source for waiting messages (<see cref="WaitingMessages"/>); null before a message had to wait.</summary>
    public SourceUsage<PeerSendingState>.UsageEntry? UsageEntry { get; set; }

    /// <summary>The number of outstanding interactions for NSTART (RFC 7252 section 4.7).</summary>
    public int Interactions { get; set; }

    /// <summary>The number of interactions begun since the peer's last message.</summary>
    public int Unheard { get; set; }

    /// <summary>The Message ID of the last cancelled message without an answer; <see cref="NoId"/> for none.</summary>
    public int CancelledId { get; set; } = NoId;

    /// <summary>When PROBING_RATE allows the next message to a silent peer, in units of 100 ns.</summary>
    public long NextProbe { get; set; } = long.MinValue;

    /// <summary>The time of the last message to the peer while it was silent, in units of 100 ns.</summary>
    public long LastProbe { get; set; }

    /// <summary>The round-trip time of Confirmable messages that were sent once. Always kept, for code that paces by it.</summary>
    public RoundTripEstimate RoundTrip;

    /// <summary>The measured timing of messages; null when nothing is measured.</summary>
    public FasorTiming? Timing { get; set; }

    internal override void Fire(long now) => _owner.OnDue(this, now);
}
