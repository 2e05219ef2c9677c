using System.Text.Json.Serialization;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Figures;

/// <summary>The result of one run. <see cref="Merge"/> adds up those of several workers.</summary>
internal sealed record LoadResult
{
    public required LoadPlan Plan { get; init; }

    /// <summary>Duration of the measurement, in seconds.</summary>
    public required double Seconds { get; init; }

    /// <summary>Number of correct answers, or notifications.</summary>
    public required long Count { get; init; }

    /// <summary>Number of requests without an answer in time.</summary>
    public long Lost { get; init; }

    /// <summary>
    /// Datagrams that the system dropped because a receive buffer of this program was full: lost or late answers that are no fault of the
    /// server. Known if the system counts them (Linux).
    /// </summary>
    public long OwnDrops { get; init; }

    /// <summary>All other errors, by kind: an answer's code such as "5.03", "wrong payload", or the name of an exception.</summary>
    public IReadOnlyDictionary<string, long> Errors { get; init; } = new Dictionary<string, long>();

    /// <summary>The times of correct answers, as pairs of nanoseconds and count; see <see cref="LoadHistogram.Filled"/>.</summary>
    public required IReadOnlyList<long[]> Times { get; init; }

    /// <summary>Observing only: the times from a change to the last observer that received it, like <see cref="Times"/>.</summary>
    public IReadOnlyList<long[]> ChangeTimes { get; init; } = [];

    /// <summary>Shortest, longest and parts of <see cref="Times"/>; null if there are none. Follows from them.</summary>
    public LoadQuantiles? Microseconds => LoadQuantiles.Of(Histogram());

    /// <summary>The same of <see cref="ChangeTimes"/>.</summary>
    public LoadQuantiles? ChangeMicroseconds => LoadQuantiles.Of(ToHistogram(ChangeTimes));

    /// <summary>Observing only: observers that had the last state at the end; null otherwise.</summary>
    public int? Converged { get; init; }

    /// <summary>Observing only: number of changes.</summary>
    public long Changes { get; init; }

    /// <summary>Each measured second.</summary>
    public IReadOnlyList<LoadSecond> Series { get; init; } = [];

    /// <summary>Processor time of this program over the measured time, in seconds.</summary>
    public double OwnProcessorSeconds { get; init; }

    /// <summary>Processor time of the server over the measured time, in seconds; null if unknown.</summary>
    public double? ServerProcessorSeconds { get; init; }

    /// <summary>Resident memory of the server at the end, in bytes; null if unknown.</summary>
    public long? ServerResidentBytes { get; init; }

    public int Workers { get; init; } = 1;

    /// <summary>Correct answers or notifications per second; 0 for a run that ended before it measured.</summary>
    public double PerSecond => Seconds > 0 ? Count / Seconds : 0;

    [JsonIgnore]
    public long ErrorCount => Errors.Values.Sum();

    /// <summary>The server's processor time per answer, in microseconds; null if unknown.</summary>
    public double? ServerMicroseconds => ServerProcessorSeconds is { } seconds && Count > 0 ? seconds * 1e6 / Count : null;

    public LoadHistogram Histogram() => ToHistogram(Times);

    /// <summary>Converts pairs of nanoseconds and count to a histogram.</summary>
    public static LoadHistogram ToHistogram(IReadOnlyList<long[]> pairs)
    {
        LoadHistogram histogram = new();
        foreach (long[] pair in pairs)
        {
            histogram.Add(pair[0], pair[1]);
        }

        return histogram;
    }

    public static IReadOnlyList<long[]> ToPairs(LoadHistogram histogram) =>
        [.. histogram.Filled.Select(static step => new[] { step.Nanoseconds, step.Count })];

    /// <summary>Adds up the concurrent measurements of several workers of one run.</summary>
    /// <param name="plan">The plan of all of them.</param>
    /// <param name="parts">At least one.</param>
    public static LoadResult Merge(LoadPlan plan, IReadOnlyList<LoadResult> parts)
    {
        ArgumentOutOfRangeException.ThrowIfZero(parts.Count, nameof(parts));
        LoadHistogram times = new();
        LoadHistogram changes = new();
        foreach (LoadResult part in parts)
        {
            times.Add(ToHistogram(part.Times));
            changes.Add(ToHistogram(part.ChangeTimes));
        }

        return new LoadResult
        {
            Plan = plan,
            Seconds = parts.Average(static part => part.Seconds),
            Count = parts.Sum(static part => part.Count),
            Lost = parts.Sum(static part => part.Lost),
            OwnDrops = parts.Sum(static part => part.OwnDrops),
            Errors = parts.SelectMany(static part => part.Errors).GroupBy(static error => error.Key)
                .ToDictionary(static same => same.Key, static same => same.Sum(static error => error.Value)),
            Times = ToPairs(times),
            ChangeTimes = ToPairs(changes),
            Converged = parts.All(static part => part.Converged is null) ? null : parts.Sum(static part => part.Converged ?? 0),
            Changes = parts.Sum(static part => part.Changes),
            Series = Merge([.. parts.Select(static part => part.Series)]),
            OwnProcessorSeconds = parts.Sum(static part => part.OwnProcessorSeconds),
            ServerProcessorSeconds = parts.Select(static part => part.ServerProcessorSeconds)
                .FirstOrDefault(static seconds => seconds is not null),
            ServerResidentBytes = parts.Select(static part => part.ServerResidentBytes).FirstOrDefault(static bytes => bytes is not null),
            Workers = parts.Sum(static part => part.Workers),
        };
    }

    // Rates add up; for the times it keeps the worst worker's, because percentiles of parts have no sum.
    private static List<LoadSecond> Merge(IReadOnlyList<LoadSecond>[] series) =>
        [.. Enumerable.Range(0, series.Max(static one => one.Count)).Select(index =>
        {
            LoadSecond[] at = [.. series.Where(one => index < one.Count).Select(one => one[index])];
            return new LoadSecond(at.Max(static one => one.At), at.Sum(static one => one.PerSecond), at.Max(static one => one.P50),
                at.Max(static one => one.P99));
        })];
}
