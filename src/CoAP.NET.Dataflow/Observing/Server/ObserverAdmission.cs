namespace CoAP.NET.Observing;

/// <summary>
/// Whether there is room for one more observer: at its address as long as nobody has verified that, in the server, and at the resource
/// itself. Called under the shard's lock.
/// </summary>
internal sealed class ObserverAdmission(CoapShard shard, ObserverPlaces places)
{
    /// <summary>Takes the places that an observer needs; one that is there already has those in the server.</summary>
    /// <param name="peer">The client.</param>
    /// <param name="before">The one whose place it takes; null for none.</param>
    /// <param name="terms">What the resource says of its observers; null for nothing.</param>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <param name="isCounted">Whether it counts among the observers of its source that were never verified.</param>
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
