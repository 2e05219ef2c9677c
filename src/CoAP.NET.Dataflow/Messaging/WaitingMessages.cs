using CoAP.NET.Transports;
using Ledger = CoAP.NET.Guarding.SourceLedger<CoAP.NET.Messaging.SendingState>;
using WaitingList = CoAP.NET.Shard.Chain<CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.WaitingPlace>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The messages of ours that wait for their turn: each in a queue of its peer, and charged to the source of that peer when it really has to
/// wait. Says which goes when there is no room for another one. Guarded by the shard's lock.
/// </summary>
/// <param name="rule">Which peers count as one.</param>
internal sealed class WaitingMessages(CoapSourceRule rule)
{
    private readonly Ledger _ledger = new();

    /// <summary>How many there are.</summary>
    public int Count { get; private set; }

    /// <summary>Puts a message behind the others of its queue.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="sending">Its peer.</param>
    public void Append(CoapTransmission transmission, SendingState sending)
    {
        QueueOf(transmission, sending).Append(transmission);
        Count++;
        transmission.IsQueued = true;
    }

    /// <summary>A message that was appended could not leave at once.</summary>
    /// <param name="transmission">The message.</param>
    /// <param name="sending">Its peer.</param>
    /// <returns>How many wait in its queue.</returns>
    public int Charge(CoapTransmission transmission, SendingState sending)
    {
        sending.Holding ??= new Ledger.Holding(sending, rule.Of(sending.Peer.Remote, sending.Peer.Identity));
        _ledger.Set(sending.Holding, CountOf(sending));
        return QueueOf(transmission, sending).Count;
    }

    /// <summary>Takes a message out: it is sent, or given up.</summary>
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
    /// The message that gives way to one that has to wait: of the source for which most wait, the last one for the peer to which nothing
    /// went for longest. It is the newcomer itself where no other source has more.
    /// </summary>
    /// <param name="newcomer">The message, which is charged already.</param>
    /// <param name="sending">Its peer.</param>
    public CoapTransmission ToGiveWay(CoapTransmission newcomer, SendingState sending) =>
        _ledger.Greediest is { First.Owner: var stalled } greediest && greediest.Amount > sending.Holding!.Source!.Amount
            ? stalled.WaitingReplies.Last ?? stalled.Waiting.Last!
            : newcomer;

    private static int CountOf(SendingState sending) => sending.WaitingReplies.Count + sending.Waiting.Count;

    private static ref WaitingList QueueOf(CoapTransmission transmission, SendingState sending) =>
        ref transmission.PassesQueue ? ref sending.WaitingReplies : ref sending.Waiting;
}
