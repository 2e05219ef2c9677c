using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Running;

/// <summary>
/// Counts the results of requests. A request counts if it began, or was due, within the measured time, whenever its answer comes. So every
/// such request is a correct answer, an error or lost, and slow ones count as well. Each thread counts for itself, without locks.
/// </summary>
internal sealed class LoadMeter : IDisposable
{
    private readonly ThreadLocal<LoadCounts> _counts = new(static () => new LoadCounts(), trackAllValues: true);
    private long _from = long.MaxValue;
    private long _to = long.MaxValue;
    private volatile bool _isClosed;

    /// <summary>The begin of the measured time, as a timestamp; the largest number until it is known.</summary>
    public long From => Volatile.Read(ref _from);

    /// <summary>The end of the measured time: no request begins after it.</summary>
    public long To => Volatile.Read(ref _to);

    public void Measure(long from, long to)
    {
        Volatile.Write(ref _to, to);
        Volatile.Write(ref _from, from);
    }

    /// <summary>Ends the measured time early.</summary>
    public void Cut(long to) => Volatile.Write(ref _to, Math.Min(to, To));

    /// <summary>Stops counting: requests that end from now on were given up locally.</summary>
    public void Close() => _isClosed = true;

    public void Answered(long begun)
    {
        long nanoseconds = MonotonicTimestamp.ToNanoseconds(MonotonicTimestamp.Now - begun);
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

    /// <summary>Counts a request without an answer in time.</summary>
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

    /// <summary>Returns the counts so far, for display: while threads count, the last few may be missing.</summary>
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

    /// <summary>Returns the measurements. Call it when all loops have ended.</summary>
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

/// <summary>
/// The counters of one thread. Only that thread writes; others may read the display figures at any time, and all figures after the loops
/// have ended.
/// </summary>
internal sealed class LoadCounts
{
    /// <summary>The times of all correct answers, including the warm-up.</summary>
    public LoadHistogram All { get; } = new();

    /// <summary>All errors, including the warm-up.</summary>
    public long AllErrors { get; set; }

    /// <summary>All lost requests, including the warm-up.</summary>
    public long AllLost { get; set; }

    public LoadHistogram Times { get; } = new();

    public Dictionary<string, long> Errors { get; } = [];

    public long Lost { get; set; }

    public void AddError(string kind) => Errors[kind] = Errors.GetValueOrDefault(kind) + 1;
}
