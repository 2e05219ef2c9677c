namespace CoAP.NET.Load.Workers;

/// <summary>Converts times of plans to limits. A plan from the network may hold any value; validation happens where it runs.</summary>
internal static class PlanTime
{
    // Timers allow at most 49 days.
    private const double LongestSeconds = 40 * 86_400.0;

    /// <summary>Returns seconds as a valid time for timers.</summary>
    public static TimeSpan Of(double seconds) => TimeSpan.FromSeconds(double.IsNaN(seconds) ? 0 : Math.Clamp(seconds, 0, LongestSeconds));
}
