namespace CoAP.NET.Cli.Bench;

/// <summary>Times of plans as limits. A plan that came over the network may hold anything, and is only judged where it is run.</summary>
internal static class PlanTime
{
    // What a timer takes at most is 49 days.
    private const double LongestSeconds = 40 * 86_400.0;

    /// <summary>Seconds as a time that timers take.</summary>
    public static TimeSpan Of(double seconds) => TimeSpan.FromSeconds(double.IsNaN(seconds) ? 0 : Math.Clamp(seconds, 0, LongestSeconds));
}
