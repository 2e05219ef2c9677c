namespace CoAP.NET.Explorer.Dashboard;

/// <summary>
/// The latency of one route, second by second for a minute. Recording is thread-safe; one thread at a time turns the seconds and reads.
/// </summary>
internal sealed class RouteLatency
{
    /// <summary>The number of stored seconds.</summary>
    public const int Seconds = 60;

    private readonly int[]?[] _past = new int[]?[Seconds];
    private int[] _now = new int[LatencyBuckets.Count];
    private int _at;

    public void Record(int bucket) => Interlocked.Increment(ref Volatile.Read(ref _now)[bucket]);

    /// <summary>Ends a second.</summary>
    public void Turn()
    {
        _at = (_at + 1) % Seconds;
        if (_now.AsSpan().IndexOfAnyExcept(0) < 0)
        {
            _past[_at] = null;
            return;
        }

        // A thread that read the field just before still counts in the old array; the next read includes that.
        _past[_at] = Interlocked.Exchange(ref _now, new int[LatencyBuckets.Count]);
    }

    /// <summary>Adds the counts of the last seconds to sums.</summary>
    /// <param name="sums">One sum per bucket.</param>
    /// <param name="seconds">The number of seconds, at most a minute.</param>
    /// <returns>The number of requests.</returns>
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
