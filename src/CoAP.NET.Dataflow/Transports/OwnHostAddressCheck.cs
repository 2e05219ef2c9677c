using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>Checks whether addresses belong to this host, by binding a socket to them.</summary>
internal static class OwnHostAddressCheck
{
    /// <summary>Whether an address currently belongs to this host.</summary>
    public static bool Contains(IPAddress address)
    {
        try
        {
            using Socket probe = new(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            probe.Bind(new IPEndPoint(address, 0));
            return true;
        }
        catch (SocketException exception)
        {
            return exception.SocketErrorCode != SocketError.AddressNotAvailable;
        }
    }
}
