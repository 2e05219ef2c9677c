using CoAP.NET.Execution;

namespace CoAP.NET.ResourceDirectory.Clients;

/// <summary>Computes the times of refreshes and retries. Pure: the random number is a parameter.</summary>
internal static class RegistrationRefreshTimes
{
    /// <summary>
    /// The maximum delay that a directory can request. An attacker in its place must not be able to stop an endpoint for years.
    /// </summary>
    public static readonly TimeSpan LongestAskedWait = TimeSpan.FromHours(1);

    private static readonly TimeSpan s_leastMargin = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Returns the time from a registration to its refresh: one to two margins before its end. A margin is a tenth of the lifetime, at
    /// least a minute, but at most a quarter of short lifetimes. Endpoints that were started together drift apart.
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

    /// <summary>Returns the delay after a failed attempt.</summary>
    /// <param name="options">The limits.</param>
    /// <param name="failures">The number of consecutive failures, including this one.</param>
    /// <param name="isRefused">Whether the directory refused, which it would do again at once.</param>
    /// <param name="asked">The delay that the directory requested; null for none.</param>
    /// <param name="chance">A random number from 0 up to 1.</param>
    public static TimeSpan RetryAfter(CoapRegistrationOptions options, int failures, bool isRefused, TimeSpan? asked, double chance)
    {
        TimeSpan first = isRefused ? options.LongestRetry : options.FirstRetry;
        TimeSpan wait = TimeSpan.FromTicks(ExponentialBackOff.Of(failures - 1, first, options.LongestRetry, chance));
        TimeSpan least = asked is not { } time ? TimeSpan.Zero : time < LongestAskedWait ? time : LongestAskedWait;
        return wait > least ? wait : least;
    }
}
