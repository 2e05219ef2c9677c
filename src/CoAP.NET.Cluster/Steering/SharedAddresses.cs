using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;
using CoAP.NET.Transports;

namespace CoAP.NET.Cluster;

/// <summary>
/// Determines which of several endpoints with one port receives a datagram to this host: the kernel prefers the socket bound to exactly the
/// address, then one of any address of its version, then one of any address of both.
/// </summary>
internal static class SharedAddresses
{
    /// <summary>Returns the receiving endpoint.</summary>
    /// <param name="to">The destination.</param>
    /// <param name="bound">The endpoints of a process.</param>
    /// <returns>The endpoint; the default if there is none.</returns>
    public static CoapAddress TakerOf(CoapAddress to, IReadOnlyList<CoapAddress> bound) =>
        bound.Contains(to) ? to
            : bound.FirstOrDefault(one => one.IsAny && one.Port == to.Port && one.IsIPv4 == to.IsIPv4) is { Port: > 0 } any ? any
            : to.IsIPv4 ? bound.FirstOrDefault(one => one.IsAny && one.Port == to.Port)
            : default;

    /// <summary>Returns addresses of this host that reach an endpoint, best first.</summary>
    /// <param name="endpoint">The bound endpoint.</param>
    /// <param name="bound">All endpoints of this process.</param>
    public static IEnumerable<CoapAddress> WaysTo(CoapAddress endpoint, IReadOnlyList<CoapAddress> bound) =>
        endpoint.IsAny
            ? AddressesOf(endpoint).Select(address => CoapAddress.FromIPEndPoint(new IPEndPoint(address, endpoint.Port)))
                .Where(way => TakerOf(way, bound) == endpoint)
            : [endpoint];

    private static IEnumerable<IPAddress> AddressesOf(CoapAddress any)
    {
        if (!any.IsIPv4)
        {
            yield return IPAddress.IPv6Loopback;
        }

        // All of 127/8 is this host. Such an unusual address is hardly ever bound by others.
        yield return IPAddress.Loopback;
        yield return OfLoopback();
        if (!any.IsIPv4)
        {
            foreach (IPAddress address in OfInterfaces())
            {
                yield return address;
            }
        }
    }

    private static IPAddress OfLoopback()
    {
        Span<byte> bytes = stackalloc byte[4];
        CoapRandomSource.Secure.Fill(bytes);
        bytes[0] = 127;

        // Neither a network nor its broadcast address.
        bytes[3] = (byte)(1 + (bytes[3] % 254));
        return new IPAddress(bytes);
    }

    private static IPAddress[] OfInterfaces()
    {
        try
        {
            return [.. NetworkInterface.GetAllNetworkInterfaces()
                .SelectMany(static one => one.GetIPProperties().UnicastAddresses)
                .Select(static one => one.Address)
                .Where(static one => one.AddressFamily == AddressFamily.InterNetworkV6 && !one.IsIPv6LinkLocal
                    && !IPAddress.IsLoopback(one))];
        }
        catch (NetworkInformationException)
        {
            return [];
        }
    }
}
