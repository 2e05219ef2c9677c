using CoAP.NET.Testing;

namespace CoAP.NET.Tests;

internal static class VirtualClockExtensions
{
    /// <summary>
    /// Waits until everything has run that can run at the present instant, with the timers that are due now; no time passes. For tests of
    /// <see cref="VirtualTimeCollection"/>.
    /// </summary>
    public static async Task SettleAsync(this VirtualClock clock)
    {
        // The clock fires what is due only when every other thread sleeps.
        bool isQuiet = false;
        using ITimer timer = clock.CreateTimer(_ => Volatile.Write(ref isQuiet, true), null, TimeSpan.Zero, Timeout.InfiniteTimeSpan);
        await clock.AdvanceUntilAsync(() => Volatile.Read(ref isQuiet), TimeSpan.Zero);
    }
}
