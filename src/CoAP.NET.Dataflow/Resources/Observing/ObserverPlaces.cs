namespace CoAP.NET.Observing;

/// <summary>
/// The places for observers of an endpoint, over all its shards: how many are taken, which source holds the most, and which observer gives
/// way when there are none left. Thread-safe.
/// </summary>
internal sealed class ObserverPlaces
{
    // Clients with activity since the last check go to the end instead of giving way; at most this many are skipped.
    private const int MaxPassed = 16;

    private readonly Lock _gate = new();

    // Guarded by _gate.
    private readonly SourceLedger<PeerObservers> _ledger = new();

    private int _count;

    /// <summary>The number of taken places.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Takes a place for another observer of a client.</summary>
    /// <param name="place">The places of the client.</param>
    /// <param name="max">The number of places.</param>
    /// <param name="loser">The client that lost a place to it; null if there was a free one. The caller must then let its layer remove an
    /// observer.</param>
    /// <returns>False if there is none, and no other source holds more than that of the client would.</returns>
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

    /// <summary>Returns the number of places of a client: fewer than its observers if it lost one to another client.</summary>
    public long HeldBy(SourceLedger<PeerObservers>.Holding place)
    {
        lock (_gate)
        {
            return place.Amount;
        }
    }

    /// <summary>Releases the places of a client beyond the number of its observers.</summary>
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
