using System.Collections.Concurrent;

namespace CoAP.NET.Explorer.Dashboard;

/// <summary>
/// Counts answers by code, and how long they took by route, for a minute. Any thread may record, as it holds no lock; one at a time turns
/// the seconds and reads.
/// </summary>
/// <param name="maxRoutes">How many routes are told apart.</param>
internal sealed class AnswerMeter(int maxRoutes)
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

    /// <summary>How many routes are told apart.</summary>
    public int Routes => Volatile.Read(ref _count);

    /// <summary>A request was answered.</summary>
    /// <param name="route">The template of its route; null when none matched.</param>
    /// <param name="code">The code of the answer.</param>
    /// <param name="seconds">How long it took.</param>
    public void Record(string? route, byte code, double seconds)
    {
        Interlocked.Increment(ref Volatile.Read(ref _now)[code]);
        Find(route).Record(LatencyBuckets.Of(seconds));
    }

    /// <summary>A second is over.</summary>
    /// <param name="measured">For how much of it answers were measured, in seconds.</param>
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

    /// <summary>For how many of the last seconds answers were measured.</summary>
    public double MeasuredIn(int seconds)
    {
        double sum = 0;
        for (int i = 0; i < seconds; i++)
        {
            sum += _measured[(_at - i + RouteLatency.Seconds) % RouteLatency.Seconds];
        }

        return sum;
    }

    /// <summary>How many answers there were in the last seconds by code.</summary>
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

    /// <summary>Percentiles of all routes together, of the last ten seconds.</summary>
    public LatencyFigures Overall() => Figures(All(), 10);

    /// <summary>The routes that were asked in the last minute, those first that were asked most.</summary>
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

/// <summary>How long requests took, in seconds; null where there were none.</summary>
/// <param name="Count">How many were measured.</param>
/// <param name="Median">Half of them took no longer.</param>
/// <param name="Ninety">Nine of ten took no longer.</param>
/// <param name="NinetyNine">99 of 100 took no longer.</param>
internal readonly record struct LatencyFigures(long Count, double? Median, double? Ninety, double? NinetyNine);

/// <summary>A route of the table.</summary>
/// <param name="Name">Its template; null for requests that none matched, and for the routes beyond the bound.</param>
/// <param name="IsOthers">Whether it is all routes beyond the bound.</param>
/// <param name="Rate">Requests a second, over a minute.</param>
/// <param name="Recent">The last ten seconds.</param>
/// <param name="Minute">The last minute.</param>
internal sealed record RouteFigures(string? Name, bool IsOthers, double Rate, LatencyFigures Recent, LatencyFigures Minute);
