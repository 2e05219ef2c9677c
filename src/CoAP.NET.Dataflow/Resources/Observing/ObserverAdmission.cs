namespace CoAP.NET.Observing;

/// <summary>
/// Decides whether there is room for another observer: at its address while that is unverified, in the server, and at the resource itself.
/// Called under the shard's lock.
/// </summary>
internal sealed class ObserverAdmission(CoapShard shard, ObserverPlaces places)
{
    /// <summary>Takes the places of an observer; an existing one already has its place in the server.</summary>
    /// <param name="peer">The client.</param>
    /// <param name="before">The observer that it replaces; null for none.</param>
    /// <param name="terms">The observer terms of the resource; null for none.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="isCounted">Whether it counts among the unverified observers of its source.</param>
    /// <returns>Whether there is room.</returns>
    public bool TryEnter(PeerObservers peer, Observer? before, CoapObserverTerms? terms, long now, ref bool isCounted)
    {
        CoapObserverTerms? entered = terms == before?.Terms ? null : terms;
        if (entered?.TryEnter(shard, peer.Place.Key) == false)
        {
            return false;
        }

        if (before is null && !TryCount(peer, now, out isCounted))
        {
            entered?.Leave(peer.Place.Key);
            return false;
        }

        return true;
    }

    private bool TryCount(PeerObservers peer, long now, out bool isCounted)
    {
        if (!shard.Guard.TryAddObserver(peer.Channel, now, out isCounted))
        {
            return false;
        }

        if (places.TryTake(peer.Place, shard.Environment.Limits.MaxObservers, out PeerObservers? loser))
        {
            if (loser is not null)
            {
                shard.AfterRelease(loser);
            }

            return true;
        }

        if (isCounted)
        {
            shard.Guard.OnObserverRemoved(peer.Channel);
        }

        return false;
    }
}
