using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Finds ports for programs that cannot bind port 0 and say which one they got.</summary>
internal static class LoopbackPort
{
    /// <summary>
    /// A port of 127.0.0.1 that was free for UDP and TCP a moment ago, and the one after it too (libcoap takes that for DTLS and TLS).
    /// Somebody else may take it before the program does; then the program ends, and starting it is tried again with another one.
    /// </summary>
    public static int FindFree()
    {
        for (int attempt = 0; attempt < 100; attempt++)
        {
            using Socket first = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
            first.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            int port = ((IPEndPoint)first.LocalEndPoint!).Port;
            if (port < ushort.MaxValue && IsFree(port, SocketType.Stream) && IsFree(port + 1, SocketType.Dgram)
                && IsFree(port + 1, SocketType.Stream))
            {
                return port;
            }
        }

        throw new InvalidOperationException("No free port was found in 100 attempts.");
    }

    private static bool IsFree(int port, SocketType type)
    {
        using Socket socket = new(AddressFamily.InterNetwork, type, type == SocketType.Stream ? ProtocolType.Tcp : ProtocolType.Udp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Loopback, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
