using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>Opens UDP sockets for all engines.</summary>
internal static class UdpSockets
{
    /// <summary>Returns the addresses to bind; by default any address and any free port.</summary>
    public static IReadOnlyList<IPEndPoint> EndpointsOf(CoapUdpTransportOptions options) =>
        options.Endpoints.Count > 0
            ? [.. options.Endpoints]
            : [new IPEndPoint(Socket.OSSupportsIPv6 ? IPAddress.IPv6Any : IPAddress.Any, 0)];

    public static bool IsDualMode(IPEndPoint endpoint, CoapUdpTransportOptions options) =>
        options.DualMode && endpoint.Address.Equals(IPAddress.IPv6Any) && Socket.OSSupportsIPv4;

    /// <summary>Whether other programs may bind the same address. Not for port 0: the system might choose a shared port.</summary>
    public static bool IsShared(IPEndPoint endpoint, CoapUdpTransportOptions options) => options.SharePort && endpoint.Port != 0;

    /// <summary>Opens and binds a socket.</summary>
    /// <param name="endpoint">The address.</param>
    /// <param name="options">The options of the transport.</param>
    /// <param name="prepare">Sets the options that precede binding.</param>
    /// <exception cref="CoapBindException">It cannot be bound.</exception>
    public static Socket Bind(IPEndPoint endpoint, CoapUdpTransportOptions options, Action<Socket> prepare)
    {
        Socket? socket = null;
        try
        {
            socket = new Socket(endpoint.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            if (endpoint.AddressFamily == AddressFamily.InterNetworkV6)
            {
                socket.DualMode = IsDualMode(endpoint, options);
            }

            prepare(socket);
            if (IsShared(endpoint, options))
            {
                Share(socket);
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
