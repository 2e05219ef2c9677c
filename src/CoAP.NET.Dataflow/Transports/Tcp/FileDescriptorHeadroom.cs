using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Tcp;

/// <summary>
/// Reserves descriptors that peers do not get. The runtime needs two for each thread that it starts, and ends the process when its thread
/// pool gets none. A flood of connections must not take the last ones.
/// </summary>
internal static class FileDescriptorHeadroom
{
    private const int Most = 64;
    private const int Share = 8;

    /// <summary>
    /// The maximum number of descriptors of this process; <see cref="long.MaxValue"/> where the system sets none, or does not reveal it.
    /// </summary>
    public static long Limit { get; } =
        OperatingSystem.IsLinux() && LibC.TryGetFileLimit(out ulong limit) && limit <= long.MaxValue ? (long)limit : long.MaxValue;

    /// <summary>
    /// Whether a newly opened descriptor is one of the last. The system assigns the lowest free number, so a high one shows that nearly all
    /// are in use.
    /// </summary>
    public static bool IsTouchedBy(nint descriptor) =>
        OperatingSystem.IsLinux() && LibC.TryGetFileLimit(out ulong limit) && IsTouchedBy(descriptor, limit);

    /// <summary>The same, with an explicit limit of descriptors.</summary>
    internal static bool IsTouchedBy(nint descriptor, ulong limit) =>
        limit <= int.MaxValue && descriptor >= (nint)(limit - Math.Min(Most, limit / Share));

    /// <summary>The same, for a socket of the platform.</summary>
    public static bool IsTouchedBy(SafeHandle handle) => IsTouchedBy(handle.DangerousGetHandle());
}
