namespace CoAP.NET.Cli.Bench;

/// <summary>
/// Takes figures of a worker as what they are: somebody else's. What cannot be is refused, so that adding up neither overflows nor fails.
/// </summary>
internal static class WorkerFigures
{
    // A million a second for 30 years; thousands of such add up without overflow.
    private const long MostCounted = 1_000_000_000_000_000;
    private const int MostPeers = 1_000_000;
    private const int MostSteps = 10_000;

    /// <summary>A tick in its bounds.</summary>
    public static LoadTick Clean(LoadTick tick) => tick with
    {
        // Of a tick that was read, all fields may be missing: a structure has defaults.
        Phase = SpreadException.Clean(tick.Phase ?? string.Empty, 24),
        Peers = Math.Clamp(tick.Peers, 0, MostPeers),
        PerSecond = Positive(tick.PerSecond),
        P50 = Positive(tick.P50),
        P99 = Positive(tick.P99),
        Errors = Math.Clamp(tick.Errors, 0, MostCounted),
        Lost = Math.Clamp(tick.Lost, 0, MostCounted),
    };

    /// <summary>A result that can be added up.</summary>
    /// <exception cref="SpreadException">It holds what no run measures.</exception>
    public static LoadResult Clean(LoadResult result)
    {
        if (!IsSound(result))
        {
            throw new SpreadException(SpreadError.Protocol, "it sent a result with figures that cannot be");
        }

        return result with
        {
            Workers = 1,
            Errors = result.Errors.GroupBy(static error => SpreadException.Clean(error.Key, 100))
                .ToDictionary(static same => same.Key, static same => same.Sum(static error => error.Value)),
        };
    }

    /// <summary>Whether a result holds only what a run can measure.</summary>
    public static bool IsSound(LoadResult result) =>
        double.IsFinite(result.Seconds) && result.Seconds >= 0
            && IsCount(result.Count) && IsCount(result.Lost) && IsCount(result.OwnDrops) && IsCount(result.Changes)
            && result.Converged is null or (>= 0 and <= MostPeers)
            && result.Errors.Count <= MostSteps && result.Errors.Values.All(IsCount)
            && AreTimes(result.Times) && AreTimes(result.ChangeTimes);

    private static double Positive(double value) => double.IsFinite(value) ? Math.Max(0, value) : 0;

    private static bool IsCount(long count) => count is >= 0 and <= MostCounted;

    private static bool AreTimes(IReadOnlyList<long[]> pairs) =>
        pairs.Count <= MostSteps && pairs.All(static pair => pair is [>= 0, >= 0 and <= MostCounted]);
}
