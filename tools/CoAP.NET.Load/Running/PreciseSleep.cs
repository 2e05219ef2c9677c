using System.Runtime.InteropServices;

namespace CoAP.NET.Load.Running;

/// <summary>
/// Waits that end within some microseconds of their time on Linux: .NET's waits end up to a millisecond late, and open loops would
/// attribute that to the server.
/// </summary>
internal static class PreciseSleep
{
    private const int SetTimerSlack = 29;

    private static readonly ManualResetEvent s_never = new(initialState: false);

    private static bool IsPrecise => OperatingSystem.IsLinux() && Environment.Is64BitProcess;

    /// <summary>Makes the system wake the calling thread as precisely as it can, instead of up to 50 microseconds late.</summary>
    public static void MakeExact()
    {
        if (IsPrecise)
        {
            _ = Control(SetTimerSlack, 1, 0, 0, 0);
        }
    }

    /// <summary>Blocks the calling thread.</summary>
    /// <param name="nanoseconds">The duration; below 0 is 0, and at most a second.</param>
    public static void For(long nanoseconds)
    {
        if (nanoseconds <= 0)
        {
            return;
        }

        nanoseconds = Math.Min(nanoseconds, 999_999_999);
        if (IsPrecise)
        {
            TimeSpec time = new() { Nanoseconds = nanoseconds };
            _ = Sleep(ref time, 0);
        }
        else if (nanoseconds >= 2_000_000)
        {
            s_never.WaitOne(1);
        }
        else
        {
            Thread.Yield();
        }
    }

    [DllImport("libc", EntryPoint = "nanosleep")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Sleep(ref TimeSpec time, nint rest);

    [DllImport("libc", EntryPoint = "prctl")]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Control(int option, nuint first, nuint second, nuint third, nuint fourth);

    [StructLayout(LayoutKind.Sequential)]
    private struct TimeSpec
    {
        public long Seconds;
        public long Nanoseconds;
    }
}
