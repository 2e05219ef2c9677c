namespace CoAP.NET.Explorer.Dashboard;

/// <summary>
/// How long requests of one route took, second by second for a minute. Any thread may record; one at a time turns the seconds and reads.
/// </summary>
internal sealed class RouteLatency
{
    /// <summary>How many seconds are kept.</summary>
    public const int Seconds = 60;

    private readonly int[]?[] _past = new int[]?[Seconds];
    private int[] _now = new int[LatencyBuckets.Count];
    private int _at;

    /// <summary>A request took so long.</summary>
    public void Record(int bucket) => Interlocked.Increment(ref Volatile.Read(ref _now)[bucket]);

    /// <summary>A second is over.</summary>
    public void Turn()
    {
        _at = (_at + 1) % Seconds;
        if (_now.AsSpan().IndexOfAnyExcept(0) < 0)
        {
            _past[_at] = null;
            return;
        }

        // Whoever read the field just before still counts there: that is seen the next time.
        _past[_at] = Interlocked.Exchange(ref _now, new int[LatencyBuckets.Count]);
    }

    /// <summary>Adds what was counted in the last seconds to sums.</summary>
    /// <param name="sums">One for each bucket.</param>
    /// <param name="seconds">How many seconds, at most a minute.</param>
    /// <returns>How many requests there were.</returns>
    public long AddTo(Span<long> sums, int seconds)
    {
        long requests = 0;
        for (int i = 0; i < seconds; i++)
        {
            if (_past[(_at - i + Seconds) % Seconds] is { } counts)
            {
                for (int bucket = 0; bucket < counts.Length; bucket++)
                {
                    int count = Volatile.Read(ref counts[bucket]);
                    sums[bucket] += count;
                    requests += count;
                }
            }
        }

        return requests;
    }
}
