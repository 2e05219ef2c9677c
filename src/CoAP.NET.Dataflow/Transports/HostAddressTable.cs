using System.Collections.Frozen;
using System.Net;
using System.Net.NetworkInformation;
using System.Runtime.Versioning;

namespace CoAP.NET.Transports;

/// <summary>
/// The addresses of this host's interfaces, read again when they are older than a second. Thread-safe.
/// </summary>
/// <remarks>
/// Whether a socket can be bound to an address says something else: with <c>ip_nonlocal_bind</c> of Linux it can be bound to any.
/// </remarks>
/// <param name="time">The clock for the age.</param>
internal sealed class HostAddressTable(TimeProvider time)
{
    private static readonly TimeSpan s_age = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private FrozenSet<IPAddress>? _addresses;
    private long _readAt;

    /// <summary>The table of the process.</summary>
    public static HostAddressTable Default { get; } = new(TimeProvider.System);

    /// <summary>
    /// Whether an address belongs to this host: to an interface, or to the loopback network as a whole. A link-local address without a zone
    /// belongs to it if any interface has it.
    /// </summary>
    public bool Contains(IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(address);
        return IPAddress.IsLoopback(address) || (TryRead()?.Contains(address) ?? OwnHostAddressCheck.Contains(address));
    }

    // Null where the system does not list its addresses.
    private FrozenSet<IPAddress>? TryRead()
    {
        try
        {
            return OperatingSystem.IsBrowser() ? null : Read();
        }
        catch (Exception exception) when (exception is NetworkInformationException or PlatformNotSupportedException)
        {
            return null;
        }
    }

    [UnsupportedOSPlatform("browser")]
    private FrozenSet<IPAddress> Read()
    {
        lock (_gate)
        {
            if (_addresses is null || time.GetElapsedTime(_readAt) > s_age)
            {
                // IPGlobalProperties has a list, too: without zones on Linux, and Windows waits for it.
                _addresses = NetworkInterface.GetAllNetworkInterfaces()
                    .SelectMany(static adapter => adapter.GetIPProperties().UnicastAddresses)
                    .SelectMany(static one => WithAndWithoutZone(one.Address))
                    .ToFrozenSet();
                _readAt = time.GetTimestamp();
            }

            return _addresses;
        }
    }

    private static IEnumerable<IPAddress> WithAndWithoutZone(IPAddress address) =>
        address.IsIPv6LinkLocal ? [address, new IPAddress(address.GetAddressBytes())] : [address];
}
