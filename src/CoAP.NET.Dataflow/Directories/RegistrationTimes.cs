namespace CoAP.NET.Directories;

/// <summary>When registrations are refreshed and tried again. Pure: the chance is given.</summary>
internal static class RegistrationTimes
{
    /// <summary>
    /// The longest wait that a directory can ask for. A stranger in its place must not be able to send an endpoint away for years.
    /// </summary>
    public static readonly TimeSpan LongestAskedWait = TimeSpan.FromHours(1);

    private static readonly TimeSpan s_leastMargin = TimeSpan.FromMinutes(1);

    /// <summary>
    /// How long after a registration it is refreshed: one to two margins before its end, of a tenth of the lifetime, a minute at least, but
    /// of short lifetimes no more than a quarter. Endpoints that were started together drift apart.
    /// </summary>
    /// <param name="lifetime">The lifetime.</param>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static TimeSpan RefreshAfter(TimeSpan lifetime, double chance)
    {
        TimeSpan tenth = lifetime / 10;
        TimeSpan margin = tenth > s_leastMargin ? tenth : s_leastMargin;
        margin = margin < lifetime / 4 ? margin : lifetime / 4;
        return lifetime - (margin * (1 + chance));
    }

    /// <summary>The wait after a try that failed.</summary>
    /// <param name="options">The bounds.</param>
    /// <param name="failures">How many failed in a row, with this one.</param>
    /// <param name="isRefused">Whether the directory refused, as it will at once again.</param>
    /// <param name="asked">How long the directory asked to wait; null when it did not.</param>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static TimeSpan RetryAfter(CoapRegistrationOptions options, int failures, bool isRefused, TimeSpan? asked, double chance)
    {
        TimeSpan first = isRefused ? options.LongestRetry : options.FirstRetry;
        TimeSpan wait = TimeSpan.FromTicks(BackOffTimes.Of(failures - 1, first, options.LongestRetry, chance));
        TimeSpan least = asked is not { } time ? TimeSpan.Zero : time < LongestAskedWait ? time : LongestAskedWait;
        return wait > least ? wait : least;
    }
}
