using System.Net;
using System.Net.Sockets;
using System.Runtime.Versioning;

namespace CoAP.NET.Transports;

/// <summary>The loopback addresses of this machine: what the name <c>localhost</c> means for a server.</summary>
internal static class LoopbackAddresses
{
    /// <summary>The name, which no name server is asked for (RFC 6761 section 6.3).</summary>
    public const string Name = "localhost";

    /// <summary>Returns 127.0.0.1 and ::1, without one that the machine does not have.</summary>
    [UnsupportedOSPlatform("browser")]
    public static IPAddress[] Find() => Find(CanBind);

    /// <summary>Returns 127.0.0.1 and ::1, without one that cannot be bound.</summary>
    /// <param name="canBind">Whether a socket can be bound to an address.</param>
    /// <returns>The addresses; IPv4 if there are none, so that the error of its socket says why.</returns>
    public static IPAddress[] Find(Predicate<IPAddress> canBind)
    {
        IPAddress[] found = Array.FindAll([IPAddress.Loopback, IPAddress.IPv6Loopback], canBind);
        return found.Length > 0 ? found : [IPAddress.Loopback];
    }

    // IPv6 may be compiled out, off for all interfaces, or off for the loopback interface. Only a socket knows.
    [UnsupportedOSPlatform("browser")]
    private static bool CanBind(IPAddress address)
    {
        try
        {
            using Socket probe = new(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            probe.Bind(new IPEndPoint(address, 0));
            return true;
        }
        catch (SocketException exception)
        {
            // A lack of descriptors does not mean that the machine lacks the address.
            return exception.SocketErrorCode is not (SocketError.AddressNotAvailable or SocketError.AddressFamilyNotSupported
                or SocketError.ProtocolFamilyNotSupported or SocketError.ProtocolNotSupported);
        }
    }
}
