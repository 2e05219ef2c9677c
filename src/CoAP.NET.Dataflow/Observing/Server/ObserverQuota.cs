namespace CoAP.NET.Observing.Server;

/// <summary>
/// The places for observers of an endpoint, over all its shards: how many are taken, which source holds the most, and which observer gives
/// way when there are none left. Thread-safe.
/// </summary>
internal sealed class ObserverQuota
{
    // Clients with activity since the last check go to the end instead of being evicted; at most this many are skipped.
    private const int MaxPassed = 16;

    private readonly Lock _gate = new();

    // Guarded by _gate.
    private readonly SourceUsage<PeerObservers> _ledger = new();

    private int _count;

    public int Count => Volatile.Read(ref _count);

    /// <summary>
    /// Takes the places of an observer: at its address while that is unverified, in the server, and at the resource itself. An existing one
    /// already has the first two. The caller holds the lock of the peer's shard.
    /// </summary>
    /// <param name="peer">The client.</param>
    /// <param name="before">The observer that it replaces; null for none.</param>
    /// <param name="resourceLimits">The limits of the resource for its observers; null for none.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <param name="isCounted">Whether it counts among the unverified observers of its source.</param>
    /// <returns>Whether there is room.</returns>
    public bool TryEnter(PeerObservers peer, Observer? before, CoapResourceObserverLimits? resourceLimits, long now, ref bool isCounted)
    {
        CoapShard shard = peer.Channel.Shard;
        CoapResourceObserverLimits? entered = resourceLimits == before?.ResourceLimits ? null : resourceLimits;
        if (entered?.TryEnter(shard, peer.UsageEntry.Key) == false)
        {
            return false;
        }

        if (before is not null)
        {
            return true;
        }

        if (shard.Guard.TryAddObserver(peer.Channel, now, out isCounted))
        {
            if (TryTake(peer.UsageEntry, shard.Environment.Limits.Observe.MaxObservers, out PeerObservers? loser))
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
        }

        entered?.Leave(peer.UsageEntry.Key);
        return false;
    }

    /// <summary>Returns the number of places of a client: fewer than its observers if it lost one to another client.</summary>
    public long CountOf(SourceUsage<PeerObservers>.UsageEntry holding)
    {
        lock (_gate)
        {
            return holding.Amount;
        }
    }

    /// <summary>Releases the places of a client beyond the number of its observers.</summary>
    public void Trim(SourceUsage<PeerObservers>.UsageEntry holding, int observers)
    {
        lock (_gate)
        {
            if (holding.Amount > observers)
            {
                Set(holding, observers);
            }
        }
    }

    // The observers of the loser belong to its shard, which removes one.
    private bool TryTake(SourceUsage<PeerObservers>.UsageEntry holding, int max, out PeerObservers? loser)
    {
        loser = null;
        lock (_gate)
        {
            if (_ledger.Total >= max)
            {
                if (_ledger.FindToGiveWay(holding.Key) is not { } greediest)
                {
                    return false;
                }

                SourceUsage<PeerObservers>.UsageEntry still = LongestSilentOf(greediest);
                loser = still.Owner;
                Set(still, still.Amount - 1);
            }

            holding.Mark = holding.Owner.ActiveAt;
            Set(holding, holding.Amount + 1);
            SourceUsage<PeerObservers>.Touch(holding);
            return true;
        }
    }

    private static SourceUsage<PeerObservers>.UsageEntry LongestSilentOf(SourceUsage<PeerObservers>.Source source)
    {
        for (int i = 0; i < MaxPassed && source.First is { } first && first.Owner.ActiveAt != first.Mark; i++)
        {
            first.Mark = first.Owner.ActiveAt;
            SourceUsage<PeerObservers>.Touch(first);
        }

        return source.First!;
    }

    private void Set(SourceUsage<PeerObservers>.UsageEntry holding, long amount)
    {
        _ledger.Set(holding, amount);
        Volatile.Write(ref _count, (int)_ledger.Total);
    }
}
