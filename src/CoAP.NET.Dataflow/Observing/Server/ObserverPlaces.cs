namespace CoAP.NET.Observing;

/// <summary>
/// The places for observers of an endpoint, over all its shards: how many are taken, which source holds most of them, and who gives way
/// when there are none left. Thread-safe.
/// </summary>
internal sealed class ObserverPlaces
{
    // Clients that moved since they were last looked at come last instead of giving way; so many are passed over.
    private const int MaxPassed = 16;

    private readonly Lock _gate = new();

    // Guarded by _gate.
    private readonly SourceLedger<PeerObservers> _ledger = new();

    private int _count;

    /// <summary>How many places are taken.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Takes a place for one more observer of a client.</summary>
    /// <param name="place">What the client holds.</param>
    /// <param name="max">How many places there are.</param>
    /// <param name="loser">The client that lost a place to it; null when there was a free one. Whoever called must then have its layer
    /// remove an observer.</param>
    /// <returns>False when there is none, and no other source holds more than that of the client would.</returns>
    public bool TryTake(SourceLedger<PeerObservers>.Holding place, int max, out PeerObservers? loser)
    {
        loser = null;
        lock (_gate)
        {
            if (_ledger.Total >= max)
            {
                long own = _ledger.Find(place.Key)?.Amount ?? 0;
                if (_ledger.Greediest is not { } greediest || greediest.Amount <= own + 1)
                {
                    return false;
                }

                SourceLedger<PeerObservers>.Holding still = StillestOf(greediest);
                loser = still.Owner;
                Set(still, still.Amount - 1);
            }

            place.Mark = place.Owner.MovedAt;
            Set(place, place.Amount + 1);
            SourceLedger<PeerObservers>.Touch(place);
            return true;
        }
    }

    /// <summary>How many places a client holds: fewer than it has observers when it lost one to another client.</summary>
    public long HeldBy(SourceLedger<PeerObservers>.Holding place)
    {
        lock (_gate)
        {
            return place.Amount;
        }
    }

    /// <summary>A client has fewer observers than before: what it holds beyond them is free.</summary>
    public void Trim(SourceLedger<PeerObservers>.Holding place, int observers)
    {
        lock (_gate)
        {
            if (place.Amount > observers)
            {
                Set(place, observers);
            }
        }
    }

    private static SourceLedger<PeerObservers>.Holding StillestOf(SourceLedger<PeerObservers>.Source source)
    {
        for (int i = 0; i < MaxPassed && source.First is { } first && first.Owner.MovedAt != first.Mark; i++)
        {
            first.Mark = first.Owner.MovedAt;
            SourceLedger<PeerObservers>.Touch(first);
        }

        return source.First!;
    }

    private void Set(SourceLedger<PeerObservers>.Holding place, long amount)
    {
        _ledger.Set(place, amount);
        Volatile.Write(ref _count, (int)_ledger.Total);
    }
}
