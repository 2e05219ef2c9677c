using Line = CoAP.NET.Shard.IntrusiveList<CoAP.NET.Messaging.PeerSendingState, CoAP.NET.Messaging.PeerSendTurnQueue.LinkAccessor>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The peers whose messages wait for a place among the outstanding ones of a shard, in the order of their turns. A peer takes one place per
/// turn and then goes to the end of the line, so a long queue of one peer never delays the others. Call every method under the shard's
/// lock.
/// </summary>
internal sealed class PeerSendTurnQueue(CoapShard shard, OutstandingMessages outstanding, int max)
{
    private Line _line;

    public int Max => max;

    /// <summary>The peer whose turn it is; null when none waits.</summary>
    public PeerSendingState? First => _line.First;

    /// <summary>Whether a peer may take a place: there is one, and no other peer is first.</summary>
    /// <param name="peer">The peer, in the line or not.</param>
    public bool MayTake(PeerSendingState peer) => (_line.First is not { } first || first == peer) && HasRoom();

    /// <summary>Whether there is a place for another message. A message that only a reset can still match releases its place.</summary>
    public bool HasRoom()
    {
        if (outstanding.Count >= max)
        {
            if (outstanding.FirstToEvict is not { } first)
            {
                return false;
            }

            shard.Wheel.Cancel(first);
            first.IsOver = true;
            outstanding.Remove(first, first.Channel.Messaging.Sending!);
        }

        return true;
    }

    /// <summary>Appends a peer, unless it is already in the line.</summary>
    public void Join(PeerSendingState peer)
    {
        if (!peer.IsInLine)
        {
            peer.IsInLine = true;
            _line.Append(peer);
        }
    }

    /// <summary>Removes a peer that has taken its turn, or no longer waits for a place.</summary>
    /// <param name="peer">The peer, in the line or not.</param>
    public void Leave(PeerSendingState peer)
    {
        if (peer.IsInLine)
        {
            peer.IsInLine = false;
            _line.Remove(peer);
        }
    }

    internal readonly struct LinkAccessor : IListLinksAccessor<PeerSendingState>
    {
        public static ref ListLinks<PeerSendingState> Of(PeerSendingState item) => ref item.LineLinks;
    }
}
