using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Workers;

/// <summary>
/// Validates the figures of a worker as untrusted input. It rejects impossible values, so that adding up neither overflows nor fails.
/// </summary>
internal static class WorkerFigureValidator
{
    // A million per second for 30 years; thousands of them add up without overflow.
    private const long MostCounted = 1_000_000_000_000_000;
    private const int MostPeers = 1_000_000;
    private const int MostSteps = 10_000;

    /// <summary>Returns a tick within its limits.</summary>
    public static LoadProgress Clean(LoadProgress tick) => tick with
    {
        // All fields of a deserialized tick may be missing: a structure has defaults.
        Phase = DistributedRunException.Clean(tick.Phase ?? string.Empty, 24),
        Peers = Math.Clamp(tick.Peers, 0, MostPeers),
        PerSecond = Positive(tick.PerSecond),
        P50 = Positive(tick.P50),
        P99 = Positive(tick.P99),
        Errors = Math.Clamp(tick.Errors, 0, MostCounted),
        Lost = Math.Clamp(tick.Lost, 0, MostCounted),
    };

    /// <summary>Validates a result before it is added up.</summary>
    /// <exception cref="DistributedRunException">It contains impossible figures.</exception>
    public static LoadResult Clean(LoadResult result)
    {
        if (!IsSound(result))
        {
            throw new DistributedRunException(WorkerProtocolErrorCodes.Protocol, "it sent a result with figures that cannot be");
        }

        return result with
        {
            Workers = 1,
            Errors = result.Errors.GroupBy(static error => DistributedRunException.Clean(error.Key, 100))
                .ToDictionary(static same => same.Key, static same => same.Sum(static error => error.Value)),
        };
    }

    /// <summary>Whether a result contains only possible figures.</summary>
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
