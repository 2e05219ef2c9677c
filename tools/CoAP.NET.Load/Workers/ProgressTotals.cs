using CoAP.NET.Load.Figures;

namespace CoAP.NET.Load.Workers;

/// <summary>Adds up the progress of several workers.</summary>
internal static class ProgressTotals
{
    // A worker that has been silent for this long has no known rate.
    private static readonly TimeSpan Fresh = TimeSpan.FromSeconds(3);

    private static readonly string[] Phases = ["connecting", "warming up", "measuring", "ending"];

    /// <summary>Returns one tick for all of them; null before the first one.</summary>
    public static LoadProgress? Of(IReadOnlyList<WorkerLink> links, int lost)
    {
        List<(LoadProgress Tick, bool Now)> ticks = [.. links.Select(static link => (Last: link.Tick, link.IsDone))
            .Where(static link => link.Last is not null)
            .Select(static link => (link.Last!.Value.Tick, !link.IsDone && link.Last.Value.Age <= Fresh))];
        return ticks.Count == 0 ? null : Of(ticks, lost);
    }

    /// <summary>Returns one tick for several, each with whether it is recent; at least one.</summary>
    public static LoadProgress Of(IReadOnlyList<(LoadProgress Tick, bool Now)> ticks, int lost)
    {
        // Percentiles of parts have no sum: it reports the worst, as results do. The phase is that of the slowest.
        List<LoadProgress> now = [.. ticks.Where(static one => one.Now).Select(static one => one.Tick)];
        return new LoadProgress(
            (now.Count > 0 ? now : [.. ticks.Select(static one => one.Tick)]).MinBy(static one => Array.IndexOf(Phases, one.Phase)).Phase,
            ticks.Max(static one => one.Tick.Elapsed),
            ticks.Max(static one => one.Tick.Whole),
            ticks.Sum(static one => one.Tick.Peers),
            now.Sum(static one => one.PerSecond),
            now.Select(static one => one.P50).DefaultIfEmpty().Max(),
            now.Select(static one => one.P99).DefaultIfEmpty().Max(),
            ticks.Sum(static one => one.Tick.Errors) + lost,
            ticks.Sum(static one => one.Tick.Lost));
    }
}
