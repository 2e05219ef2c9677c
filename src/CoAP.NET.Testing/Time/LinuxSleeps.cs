using System.Runtime.InteropServices;

namespace CoAP.NET.Testing;

/// <summary>
/// Counts how often threads of this process fell asleep on Linux (getrusage). A thread that ran before or after it was seen asleep must
/// have fallen asleep in between. If the count is unchanged while all threads were found asleep, one after the other, then all of them
/// slept the whole time.
/// </summary>
internal static partial class LinuxSleeps
{
    private const int Self = 0;

    // Two times of two words each, twelve words of other counts, and then this one (ru_nvcsw). All have the size of a pointer.
    private const int VoluntarySwitches = 16;

    // More than any C library writes.
    private const int Words = 64;

    /// <summary>Whether the system maintains the count: a .NET process has threads that sleep before its first line runs.</summary>
    public static bool AreCounted { get; } = Count() > 0;

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
