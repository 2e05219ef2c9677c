using System.Runtime.InteropServices;

namespace CoAP.NET.Testing.Time;

/// <summary>
/// Counts how often threads of this process fell asleep on Linux (getrusage). A thread that ran before or after it was seen asleep must
/// have fallen asleep in between. If the count is unchanged while all threads were found asleep, one after the other, then all of them
/// slept the whole time.
/// </summary>
internal static partial class LinuxContextSwitchCounter
{
    private const int Self = 0;

    // The index of ru_nvcsw in words of the size of a pointer: it follows two times of two words each and twelve other counts.
    private const int VoluntarySwitches = 16;

    // The size of the buffer: larger than the structure of every C library.
    private const int Words = 64;

    /// <summary>Whether the system maintains the count. Threads of a .NET process sleep before its first line runs.</summary>
    public static bool IsSupported { get; } = Count() > 0;

    /// <summary>Returns the count; always the same on systems that do not maintain it.</summary>
    public static long Count()
    {
        Span<nint> usage = stackalloc nint[Words];
        usage.Clear();
        return GetUsage(Self, ref usage[0]) == 0 ? usage[VoluntarySwitches] : 0;
    }

    [LibraryImport("libc", EntryPoint = "getrusage")]
    private static partial int GetUsage(int who, ref nint usage);
}
