using Line = CoAP.NET.Shard.Chain<CoAP.NET.Messaging.SendingState, CoAP.NET.Messaging.PlaceLine.Place>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The peers whose messages wait for a place among the outstanding ones of a shard, in the order of their turns. A peer takes one place
/// for each turn and then stands behind the others, so that one with a long queue never keeps the others waiting. Every method must be
/// called under the shard's lock.
/// </summary>
/// <param name="shard">For its timers.</param>
/// <param name="outstanding">Who has the places.</param>
/// <param name="max">How many places there are.</param>
internal sealed class PlaceLine(CoapShard shard, OutstandingMessages outstanding, int max)
{
    private Line _line;

    /// <summary>How many places there are.</summary>
    public int Max => max;

    /// <summary>The peer whose turn it is; null when none waits.</summary>
    public SendingState? First => _line.First;

    /// <summary>Whether a peer may take a place: there is one, and nobody stands before the peer.</summary>
    /// <param name="peer">The peer, in the line or not.</param>
    public bool MayTake(SendingState peer) => (_line.First is not { } first || first == peer) && HasPlace();

    /// <summary>
    /// Whether there is a place for another message. A message of which nothing but a reset is to come leaves its place for it.
    /// </summary>
    public bool HasPlace()
    {
        if (outstanding.Count >= max)
        {
            if (outstanding.FirstToGiveWay is not { } first)
            {
                return false;
            }

            shard.Wheel.Cancel(first);
            first.IsOver = true;
            outstanding.Remove(first, first.Channel.Messaging.Sending!);
        }

        return true;
    }

    /// <summary>Puts a peer behind the others unless it stands in the line.</summary>
    /// <param name="peer">The peer.</param>
    public void Join(SendingState peer)
    {
        if (!peer.IsInLine)
        {
            peer.IsInLine = true;
            _line.Append(peer);
        }
    }

    /// <summary>A peer has taken its turn, or waits for a place no longer.</summary>
    /// <param name="peer">The peer, in the line or not.</param>
    public void Leave(SendingState peer)
    {
        if (peer.IsInLine)
        {
            peer.IsInLine = false;
            _line.Remove(peer);
        }
    }

    /// <summary>Where a peer has its links.</summary>
    internal readonly struct Place : IChainPlace<SendingState>
    {
        public static ref ChainLinks<SendingState> Of(SendingState item) => ref item.LineLinks;
    }
}
