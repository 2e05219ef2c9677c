using System.Collections.Concurrent;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>
/// Counts responses by code and measures latency by route, for a minute. Recording is lock-free and thread-safe; one thread at a time turns
/// the seconds and reads.
/// </summary>
/// <param name="maxRoutes">The maximum number of separate routes.</param>
internal sealed class ResponseMeter(int maxRoutes)
{
    private const int Codes = 256;

    private readonly ConcurrentDictionary<string, RouteLatency> _routes = new(StringComparer.Ordinal);
    private readonly RouteLatency _unmatched = new();
    private readonly RouteLatency _others = new();
    private readonly long[][] _codes = [.. Enumerable.Range(0, RouteLatency.Seconds).Select(static _ => new long[Codes])];
    private readonly double[] _measured = new double[RouteLatency.Seconds];
    private long[] _now = new long[Codes];
    private int _count;
    private int _at;

    /// <summary>The current number of separate routes.</summary>
    public int Routes => Volatile.Read(ref _count);

    /// <summary>Records a response.</summary>
    /// <param name="route">The template of its route; null if none matched.</param>
    /// <param name="code">The response code.</param>
    /// <param name="seconds">The latency.</param>
    public void Record(string? route, byte code, double seconds)
    {
        Interlocked.Increment(ref Volatile.Read(ref _now)[code]);
        Find(route).Record(LatencyBuckets.Of(seconds));
    }

    /// <summary>Ends a second.</summary>
    /// <param name="measured">The measured part of it, in seconds.</param>
    public void Turn(double measured)
    {
        _at = (_at + 1) % RouteLatency.Seconds;
        _measured[_at] = measured;
        _codes[_at] = Interlocked.Exchange(ref _now, new long[Codes]);
        foreach (RouteLatency route in All())
        {
            route.Turn();
        }
    }

    /// <summary>Returns the measured part of the last seconds.</summary>
    public double MeasuredIn(int seconds)
    {
        double sum = 0;
        for (int i = 0; i < seconds; i++)
        {
            sum += _measured[(_at - i + RouteLatency.Seconds) % RouteLatency.Seconds];
        }

        return sum;
    }

    /// <summary>Returns the number of responses in the last seconds by code.</summary>
    public long[] CodesIn(int seconds)
    {
        long[] sums = new long[Codes];
        for (int i = 0; i < seconds; i++)
        {
            long[] counts = _codes[(_at - i + RouteLatency.Seconds) % RouteLatency.Seconds];
            for (int code = 0; code < Codes; code++)
            {
                sums[code] += Volatile.Read(ref counts[code]);
            }
        }

        return sums;
    }

    /// <summary>Returns the percentiles of all routes together over the last ten seconds.</summary>
    public LatencyFigures Overall() => Figures(All(), 10);

    /// <summary>Returns the routes of the last minute, busiest first.</summary>
    public List<RouteFigures> ByRoute()
    {
        List<RouteFigures> figures = [];
        double measured = MeasuredIn(RouteLatency.Seconds);
        foreach ((string? name, bool isOthers, RouteLatency route) in Named())
        {
            LatencyFigures minute = Figures([route], RouteLatency.Seconds);
            if (minute.Count > 0)
            {
                figures.Add(new RouteFigures(name, isOthers, measured > 0 ? minute.Count / measured : 0, Figures([route], 10), minute));
            }
        }

        figures.Sort(static (one, other) => other.Minute.Count.CompareTo(one.Minute.Count));
        return figures;
    }

    private RouteLatency Find(string? route)
    {
        if (route is null)
        {
            return _unmatched;
        }

        if (_routes.TryGetValue(route, out RouteLatency? found))
        {
            return found;
        }

        if (Interlocked.Increment(ref _count) > maxRoutes)
        {
            Interlocked.Decrement(ref _count);
            return _others;
        }

        RouteLatency made = new();
        if (_routes.TryAdd(route, made))
        {
            return made;
        }

        Interlocked.Decrement(ref _count);
        return _routes[route];
    }

    private IEnumerable<RouteLatency> All() => _routes.Select(static pair => pair.Value).Append(_unmatched).Append(_others);

    private IEnumerable<(string? Name, bool IsOthers, RouteLatency Route)> Named() =>
        _routes.Select(static pair => ((string?)pair.Key, false, pair.Value))
            .Append((null, false, _unmatched)).Append((null, true, _others));

    private static LatencyFigures Figures(IEnumerable<RouteLatency> routes, int seconds)
    {
        long[] sums = new long[LatencyBuckets.Count];
        long count = 0;
        foreach (RouteLatency route in routes)
        {
            count += route.AddTo(sums, seconds);
        }

        return new LatencyFigures(count, LatencyBuckets.PercentileOf(sums, 0.5), LatencyBuckets.PercentileOf(sums, 0.9),
            LatencyBuckets.PercentileOf(sums, 0.99));
    }
}

/// <summary>Latency percentiles in seconds; null without requests.</summary>
/// <param name="Count">The number of measured requests.</param>
/// <param name="Median">The 50th percentile.</param>
/// <param name="Ninety">The 90th percentile.</param>
/// <param name="NinetyNine">The 99th percentile.</param>
internal readonly record struct LatencyFigures(long Count, double? Median, double? Ninety, double? NinetyNine);

/// <summary>A route of the table.</summary>
/// <param name="Name">Its template; null for requests without a matching route, and for the routes above the maximum.</param>
/// <param name="IsOthers">Whether it represents all routes above the maximum.</param>
/// <param name="Rate">Requests per second, over a minute.</param>
/// <param name="Recent">Percentiles of the last ten seconds.</param>
/// <param name="Minute">Percentiles of the last minute.</param>
internal sealed record RouteFigures(string? Name, bool IsOthers, double Rate, LatencyFigures Recent, LatencyFigures Minute);
