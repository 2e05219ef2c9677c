using System.Runtime.InteropServices;

namespace CoAP.NET.Testing;

/// <summary>
/// How often threads of this process fell asleep under Linux (getrusage): a thread that was seen asleep, and ran before or after, fell
/// asleep in between. So when the count stayed the same while all threads were found asleep, one after the other, all of them slept all the
/// time.
/// </summary>
internal static partial class LinuxSleeps
{
    private const int Self = 0;

    // Two times of two words each, twelve words of other counts, and then this one (ru_nvcsw); all have the size of a pointer.
    private const int VoluntarySwitches = 16;

    // More than any C library writes.
    private const int Words = 64;

    /// <summary>Whether the system keeps the count: a process of .NET has threads that sleep before its first line runs.</summary>
    public static bool AreCounted { get; } = Count() > 0;

    /// <summary>The count; always the same where the system does not keep one.</summary>
    public static long Count()
    {
        Span<nint> usage = stackalloc nint[Words];
        usage.Clear();
        return GetUsage(Self, ref usage[0]) == 0 ? usage[VoluntarySwitches] : 0;
    }

    [LibraryImport("libc", EntryPoint = "getrusage")]
    private static partial int GetUsage(int who, ref nint usage);
}
