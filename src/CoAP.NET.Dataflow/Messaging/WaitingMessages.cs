using CoAP.NET.Transports;
using Ledger = CoAP.NET.Guarding.SourceLedger<CoAP.NET.Messaging.SendingState>;
using WaitingList = CoAP.NET.Shard.Chain<CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.WaitingPlace>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The messages that wait for their turn, each in a queue of its peer. A message that really has to wait is charged to the source of the
/// peer. Decides which one gives way when there is no room. Guarded by the shard's lock.
/// </summary>
/// <param name="rule">Maps peers to sources.</param>
internal sealed class WaitingMessages(CoapSourceRule rule)
{
    private readonly Ledger _ledger = new();

    /// <summary>The number of messages.</summary>
    public int Count { get; private set; }

    /// <summary>Appends a message to its queue.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="sending">Its peer.</param>
    public void Append(CoapTransmission transmission, SendingState sending)
    {
        QueueOf(transmission, sending).Append(transmission);
        Count++;
        transmission.IsQueued = true;
    }

    /// <summary>Charges an appended message that could not leave at once.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="sending">Its peer.</param>
    /// <returns>The length of its queue.</returns>
    public int Charge(CoapTransmission transmission, SendingState sending)
    {
        sending.Holding ??= new Ledger.Holding(sending, rule.Of(sending.Peer.Remote, sending.Peer.Identity));
        _ledger.Set(sending.Holding, CountOf(sending));
        return QueueOf(transmission, sending).Count;
    }

    /// <summary>Removes a message that is sent or given up.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="sending">Its peer.</param>
    public void Remove(CoapTransmission transmission, SendingState sending)
    {
        QueueOf(transmission, sending).Remove(transmission);
        Count--;
        transmission.IsQueued = false;
        if (sending.Holding is { } holding)
        {
            _ledger.Set(holding, CountOf(sending));
            Ledger.Touch(holding);
        }
    }

    /// <summary>
    /// Returns the message that gives way: of the source with most waiting messages, the last one for the peer that got nothing for
    /// longest. It is the newcomer itself if no other source has more.
    /// </summary>
    /// <param name="newcomer">The already charged message.</param>
    /// <param name="sending">Its peer.</param>
    public CoapTransmission ToGiveWay(CoapTransmission newcomer, SendingState sending) =>
        _ledger.Greediest is { First.Owner: var stalled } greediest && greediest.Amount > sending.Holding!.Source!.Amount
            ? stalled.WaitingReplies.Last ?? stalled.Waiting.Last!
            : newcomer;

    private static int CountOf(SendingState sending) => sending.WaitingReplies.Count + sending.Waiting.Count;

    private static ref WaitingList QueueOf(CoapTransmission transmission, SendingState sending) =>
        ref transmission.PassesQueue ? ref sending.WaitingReplies : ref sending.Waiting;
}
