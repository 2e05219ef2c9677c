namespace CoAP.NET.Guarding;

/// <summary>Places for running work, with a share for each source (<see cref="FairShare"/>). Thread-safe.</summary>
/// <param name="max">The number of places.</param>
/// <param name="maxOfSource">The maximum number of places of a source.</param>
internal sealed class SourceQuota(int max, int maxOfSource = int.MaxValue)
{
    private readonly Lock _gate = new();
    private readonly SourceLedger<CoapQuotaSource> _ledger = new(max, maxOfSource);

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return (int)_ledger.Total;
            }
        }
    }

    public int CountOf(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            return (int)_ledger.AmountOf(source);
        }
    }

    public bool HasCapacity(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            return _ledger.HasRoom(source);
        }
    }

    /// <summary>Takes a place for a source; pairs with <see cref="Exit"/>.</summary>
    /// <returns>Whether a place was free for it.</returns>
    public bool TryEnter(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            return _ledger.TryTake(source);
        }
    }

    /// <summary>Returns a place of a source.</summary>
    /// <exception cref="InvalidOperationException">The source holds no place.</exception>
    public void Exit(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            _ledger.Return(source);
        }
    }
}
