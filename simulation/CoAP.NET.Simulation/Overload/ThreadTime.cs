using System.Runtime.InteropServices;

namespace CoAP.NET.Simulation.Overload;

/// <summary>The processor time that the calling thread took so far, without what others took of the processor meanwhile.</summary>
internal static unsafe partial class ThreadTime
{
    private const int ThreadClock = 3;

    public static TimeSpan Now
    {
        get
        {
            long* time = stackalloc long[2];
            _ = GetTime(ThreadClock, time);
            return TimeSpan.FromTicks((time[0] * TimeSpan.TicksPerSecond) + (time[1] / TimeSpan.NanosecondsPerTick));
        }
    }

    [LibraryImport("libc", EntryPoint = "clock_gettime")]
    private static partial int GetTime(int clock, long* time);
}
