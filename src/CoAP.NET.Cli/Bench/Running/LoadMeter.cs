namespace CoAP.NET.Cli.Bench;

/// <summary>
/// Counts what becomes of requests. A request is measured when it was begun, or was due, within the measured time, whenever its answer
/// comes: so every such request is a right answer, an error or lost, and none is left out for being slow. Each thread counts for itself,
/// without locks.
/// </summary>
internal sealed class LoadMeter : IDisposable
{
    private readonly ThreadLocal<LoadCounts> _counts = new(static () => new LoadCounts(), trackAllValues: true);
    private long _from = long.MaxValue;
    private long _to = long.MaxValue;
    private volatile bool _isClosed;

    /// <summary>When the measured time begins, as a time stamp; the largest number before that is known.</summary>
    public long From => Volatile.Read(ref _from);

    /// <summary>When it ends: nothing is begun from then on.</summary>
    public long To => Volatile.Read(ref _to);

    /// <summary>Says which time is measured.</summary>
    public void Measure(long from, long to)
    {
        Volatile.Write(ref _to, to);
        Volatile.Write(ref _from, from);
    }

    /// <summary>Ends the measured time early.</summary>
    public void Cut(long to) => Volatile.Write(ref _to, Math.Min(to, To));

    /// <summary>Counts nothing any more: what ends from now on does so because it was given up here.</summary>
    public void Close() => _isClosed = true;

    /// <summary>A right answer came.</summary>
    public void Answered(long begun)
    {
        long nanoseconds = Stamp.ToNanoseconds(Stamp.Now - begun);
        if (_isClosed)
        {
            return;
        }

        LoadCounts counts = _counts.Value!;
        counts.All.Add(nanoseconds);
        if (IsMeasured(begun))
        {
            counts.Times.Add(nanoseconds);
        }
    }

    /// <summary>No answer came in time.</summary>
    public void Lost(long begun)
    {
        if (_isClosed)
        {
            return;
        }

        LoadCounts counts = _counts.Value!;
        counts.AllLost++;
        counts.Lost += IsMeasured(begun) ? 1 : 0;
    }

    /// <summary>Something else came, or went wrong.</summary>
    public void Failed(long begun, string kind)
    {
        if (_isClosed)
        {
            return;
        }

        LoadCounts counts = _counts.Value!;
        counts.AllErrors++;
        if (IsMeasured(begun))
        {
            counts.AddError(kind);
        }
    }

    /// <summary>What was counted so far, for display: while threads count, it may lack the last few.</summary>
    public (LoadHistogram Answers, long Errors, long Lost) SoFar()
    {
        LoadHistogram all = new();
        long errors = 0;
        long lost = 0;
        foreach (LoadCounts counts in _counts.Values)
        {
            all.Add(counts.All);
            errors += counts.AllErrors;
            lost += counts.AllLost;
        }

        return (all, errors, lost);
    }

    /// <summary>What was measured. Call it when all loops have ended.</summary>
    public (LoadHistogram Times, Dictionary<string, long> Errors, long Lost) Sum()
    {
        LoadHistogram times = new();
        Dictionary<string, long> errors = [];
        long lost = 0;
        foreach (LoadCounts counts in _counts.Values)
        {
            times.Add(counts.Times);
            lost += counts.Lost;
            foreach ((string kind, long count) in counts.Errors)
            {
                errors[kind] = errors.GetValueOrDefault(kind) + count;
            }
        }

        return (times, errors, lost);
    }

    public void Dispose() => _counts.Dispose();

    private bool IsMeasured(long begun) => begun >= From && begun < To;
}
