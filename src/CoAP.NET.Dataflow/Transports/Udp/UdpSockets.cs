using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Transports.Loops;

namespace CoAP.NET.Transports.Udp;

/// <summary>Opens UDP sockets for all engines.</summary>
internal static class UdpSockets
{
    private static readonly Lazy<bool> s_bothVersionsTellLocal = new(TryReceiveWithLocal);

    /// <summary>Returns the addresses to bind; by default any address and any free port.</summary>
    public static IReadOnlyList<IPEndPoint> EndpointsOf(CoapUdpTransportOptions options) =>
        options.Endpoints.Count > 0
            ? [.. options.Endpoints]
            : [new IPEndPoint(Socket.OSSupportsIPv6 ? IPAddress.IPv6Any : IPAddress.Any, 0)];

    public static bool IsDualMode(IPEndPoint endpoint, CoapUdpTransportOptions options) =>
        options.DualMode && endpoint.Address.Equals(IPAddress.IPv6Any) && Socket.OSSupportsIPv4;

    /// <summary>Whether other programs may bind the same address. Not for port 0: the system might choose a shared port.</summary>
    public static bool IsShared(IPEndPoint endpoint, CoapUdpTransportOptions options) => options.SharePort && endpoint.Port != 0;

    /// <summary>
    /// Whether a socket for both IP versions reports which local address a datagram was sent to. Apple systems have no such option for the
    /// IPv4 datagrams of an IPv6 socket, and .NET refuses to receive with it there.
    /// </summary>
    public static bool BothVersionsProvideLocalAddress => s_bothVersionsTellLocal.Value;

    /// <summary>Opens and binds a socket.</summary>
    /// <param name="endpoint">The address.</param>
    /// <param name="dualMode">Whether <c>[::]</c> serves IPv4 too.</param>
    /// <param name="shared">Whether other programs may bind the same address.</param>
    /// <param name="prepare">Sets the options that precede binding.</param>
    /// <exception cref="CoapBindException">It cannot be bound.</exception>
    public static Socket Bind(IPEndPoint endpoint, bool dualMode, bool shared, Action<Socket> prepare)
    {
        Socket? socket = null;
        try
        {
            socket = new Socket(endpoint.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            if (endpoint.AddressFamily == AddressFamily.InterNetworkV6)
            {
                socket.DualMode = dualMode;
            }

            prepare(socket);
            if (shared)
            {
                Share(socket);
            }
            else if (OperatingSystem.IsWindows() && !IsWildcard(endpoint))
            {
                // Otherwise any program of this account may take the address with SO_REUSEADDR. Not for a wildcard: then no socket could
                // be bound to one of the addresses behind it, and answers would leave from another address than was asked.
                socket.ExclusiveAddressUse = true;
            }

            socket.Bind(endpoint);
            return socket;
        }
        catch (SocketException exception)
        {
            socket?.Dispose();
            throw new CoapBindException("UDP", endpoint, exception);
        }
    }

    /// <summary>Ends a receive that waits on a socket which is about to be closed.</summary>
    /// <remarks>
    /// On Apple systems closing a UDP socket does not end the receive, but waits for its end. A datagram ends it. The socket is connected
    /// to itself before: then it gets this datagram even if another socket is bound to a more specific address with its port, and nothing
    /// of other peers fills its buffer any more.
    /// </remarks>
    public static void EndReceive(Socket socket)
    {
        if (OperatingSystem.IsWindows())
        {
            // Closing ends it there.
            return;
        }

        try
        {
            IPEndPoint own = (IPEndPoint)socket.LocalEndPoint!;
            own.Address = own.Address.Equals(IPAddress.Any) ? IPAddress.Loopback
                : own.Address.Equals(IPAddress.IPv6Any) ? IPAddress.IPv6Loopback
                : own.Address;
            socket.Connect(own);
            socket.Send([0]);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // An address that the host has lost, or a socket that other code closed.
        }
    }

    public static bool IsWildcard(IPEndPoint endpoint) =>
        endpoint.Address.Equals(IPAddress.Any) || endpoint.Address.Equals(IPAddress.IPv6Any);

    private static bool TryReceiveWithLocal()
    {
        try
        {
            using Socket probe = new(AddressFamily.InterNetworkV6, SocketType.Dgram, ProtocolType.Udp)
            {
                DualMode = true,
                Blocking = false,
            };
            probe.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.PacketInformation, true);
            probe.Bind(new IPEndPoint(IPAddress.IPv6Any, 0));
            SocketFlags flags = SocketFlags.None;
            EndPoint from = new IPEndPoint(IPAddress.IPv6Any, 0);
            probe.ReceiveMessageFrom(new byte[1], ref flags, ref from, out _);
            return true;
        }
        catch (PlatformNotSupportedException)
        {
            return false;
        }
        catch (SocketException exception)
        {
            // Nothing was sent to it. A lack of descriptors does not justify two sockets.
            return exception.SocketErrorCode is not (SocketError.InvalidArgument or SocketError.ProtocolOption);
        }
    }

    // Programs request one of the two options or both, and the operating system wants one that both requested.
    private static void Share(Socket socket)
    {
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.ReuseAddress, true);
        if (OperatingSystem.IsLinux())
        {
            int on = 1;
            socket.SetRawSocketOption(LibC.SolSocket, LibC.SoReuseAddress, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref on)));
            socket.SetRawSocketOption(LibC.SolSocket, LibC.SoReusePort, MemoryMarshal.AsBytes(new ReadOnlySpan<int>(ref on)));
        }
    }

    public static CoapAddress AddressOf(Socket socket) => CoapAddress.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);
}
