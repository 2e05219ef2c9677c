namespace CoAP.NET.Guarding;

/// <summary>
/// Places for running work, with a share for each source: half of the free places, so that no source locks others out, and at least one.
/// Thread-safe.
/// </summary>
/// <param name="max">The number of places.</param>
/// <param name="maxOfSource">The maximum number of places of a source.</param>
internal sealed class SourceQuota(int max, int maxOfSource)
{
    private readonly Lock _gate = new();
    private readonly SourceCounter _counts = new(maxOfSource, max);

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _counts.Total;
            }
        }
    }

    public int CountOf(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            return _counts.CountOf(source);
        }
    }

    public bool HasCapacity(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            return IsFree(source);
        }
    }

    /// <summary>Takes a place for a source; pairs with <see cref="Exit"/>.</summary>
    /// <returns>Whether a place was free for it.</returns>
    public bool TryEnter(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            return IsFree(source) && _counts.TryAdd(source);
        }
    }

    /// <summary>Returns a place of a source.</summary>
    /// <exception cref="InvalidOperationException">The source holds no place.</exception>
    public void Exit(in CoapQuotaSource source)
    {
        lock (_gate)
        {
            _counts.Remove(source);
        }
    }

    private bool IsFree(in CoapQuotaSource source)
    {
        int held = _counts.CountOf(source);
        int free = max - _counts.Total;
        return free > 0 && held < Math.Min(maxOfSource, Math.Max(1, (free + held) / 2));
    }
}
