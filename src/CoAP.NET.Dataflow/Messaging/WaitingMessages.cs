using Ledger = CoAP.NET.Guarding.SourceUsage<CoAP.NET.Messaging.PeerSendingState>;
using WaitingList = CoAP.NET.Shard.IntrusiveList<CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.WaitingTransmissionLinksAccessor>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The messages that wait for their turn, each in a queue of its peer. A message that really has to wait is charged to the source of the
/// peer. Decides which one is evicted when there is no room. Guarded by the shard's lock.
/// </summary>
/// <remarks>
/// A proxy sends messages for many clients. In the queue of a peer these clients take turns: each has one message in a round. A client with
/// many waiting requests therefore delays the others by one request for each of theirs.
/// </remarks>
internal sealed class WaitingMessages(CoapSourceGroupingRule rule)
{
    private readonly Ledger _ledger = new();

    public int Count { get; private set; }

    public void Add(CoapTransmission transmission, PeerSendingState sending)
    {
        if (transmission.PassesQueue)
        {
            sending.WaitingReplies.Append(transmission);
        }
        else
        {
            AddInTurn(transmission, sending);
        }

        Count++;
        transmission.IsQueued = true;
    }

    /// <summary>Records that the waiting message with the first turn may leave, or a later one in its place.</summary>
    public static void BeginTurn(PeerSendingState sending) => sending.Round = sending.Waiting.First!.Round;

    /// <summary>Charges an added message that could not leave at once.</summary>
    public int Charge(CoapTransmission transmission, PeerSendingState sending)
    {
        sending.UsageEntry ??= new Ledger.UsageEntry(sending, rule.Of(sending.Peer.Remote, sending.Peer.PeerId));
        _ledger.Set(sending.UsageEntry, CountOf(sending));
        return QueueOf(transmission, sending).Count;
    }

    public void Remove(CoapTransmission transmission, PeerSendingState sending)
    {
        QueueOf(transmission, sending).Remove(transmission);
        Count--;
        transmission.IsQueued = false;
        if (sending.UsageEntry is { } holding)
        {
            _ledger.Set(holding, CountOf(sending));
            Ledger.Touch(holding);
        }
    }

    /// <summary>
    /// Returns the message that is evicted when a peer has too many: the last one, which is of the client with most waiting messages.
    /// </summary>
    /// <param name="newcomer">The already charged message.</param>
    /// <param name="sending">Its peer.</param>
    public static CoapTransmission LastOf(CoapTransmission newcomer, PeerSendingState sending) => QueueOf(newcomer, sending).Last!;

    /// <summary>
    /// Returns the message that is evicted when the shard has too many: of the source with most waiting messages, the last one for the peer
    /// that got nothing for longest. It is the newcomer itself if no other source has more.
    /// </summary>
    /// <param name="newcomer">The already charged message.</param>
    /// <param name="sending">Its peer.</param>
    public CoapTransmission ToEvict(CoapTransmission newcomer, PeerSendingState sending) =>
        _ledger.Greediest is { First.Owner: var stalled } greediest
            && FairShare.AllowsEviction(sending.UsageEntry!.Source!.Amount, greediest.Amount - 1)
            ? stalled.WaitingReplies.Last ?? stalled.Waiting.Last!
            : newcomer;

    // A client without a waiting message is behind the round that already began: otherwise clients with one message at a time would stay in
    // front of the rest of it for ever.
    private static void AddInTurn(CoapTransmission transmission, PeerSendingState sending)
    {
        CoapTransmission? own = sending.Waiting.Last;
        while (own is not null && own.OnBehalfOf != transmission.OnBehalfOf)
        {
            own = own.WaitingTransmissionLinks.Previous;
        }

        transmission.Round = Math.Max(own?.Round ?? 0, sending.Round) + 1;
        CoapTransmission? previous = sending.Waiting.Last;
        while (previous is not null && previous.Round > transmission.Round)
        {
            previous = previous.WaitingTransmissionLinks.Previous;
        }

        sending.Waiting.InsertAfter(previous, transmission);
    }

    private static int CountOf(PeerSendingState sending) => sending.WaitingReplies.Count + sending.Waiting.Count;

    private static ref WaitingList QueueOf(CoapTransmission transmission, PeerSendingState sending) =>
        ref transmission.PassesQueue ? ref sending.WaitingReplies : ref sending.Waiting;
}
