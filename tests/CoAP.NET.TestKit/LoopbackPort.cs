using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Shared;

/// <summary>Finds ports for programs and silos that cannot bind port 0 and say which one they got.</summary>
internal static class LoopbackPort
{
    // Below those that systems give to whoever binds port 0 (from 32,768 on under Linux): of these, all processes that run beside this one
    // take some each moment.
    private const int First = 20_000;
    private const int Pairs = 6_000;

    // Processes begin at places far from each other, and hand out no port twice before all others.
    private static int s_next = (int)((uint)Environment.ProcessId * 2_654_435_761u % Pairs);

    /// <summary>
    /// A port that is free for UDP and TCP, and the one after it too (libcoap takes that for DTLS and TLS). If somebody else
    /// takes it before the program does, the program ends, and starting it is tried again with another one.
    /// </summary>
    public static int FindFree()
    {
        for (int attempt = 0; attempt < Pairs; attempt++)
        {
            int port = First + (2 * (int)((uint)Interlocked.Increment(ref s_next) % Pairs));
            if (IsFree(port, SocketType.Dgram) && IsFree(port, SocketType.Stream) && IsFree(port + 1, SocketType.Dgram)
                && IsFree(port + 1, SocketType.Stream))
            {
                return port;
            }
        }

        throw new InvalidOperationException($"No port from {First} on is free.");
    }

    private static bool IsFree(int port, SocketType type)
    {
        using Socket socket = new(AddressFamily.InterNetwork, type, type == SocketType.Stream ? ProtocolType.Tcp : ProtocolType.Udp);
        try
        {
            socket.Bind(new IPEndPoint(IPAddress.Any, port));
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }
}
