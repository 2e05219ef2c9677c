using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Transports;

/// <summary>Opens UDP sockets as all engines want them.</summary>
internal static class UdpSockets
{
    /// <summary>What is bound when nothing was named: any address, any free port.</summary>
    public static IReadOnlyList<IPEndPoint> EndpointsOf(CoapUdpTransportOptions options) =>
        options.Endpoints.Count > 0 ? [.. options.Endpoints] : [new IPEndPoint(Socket.OSSupportsIPv6 ? IPAddress.IPv6Any : IPAddress.Any, 0)];

    public static bool IsDualMode(IPEndPoint endpoint, CoapUdpTransportOptions options) =>
        options.DualMode && endpoint.Address.Equals(IPAddress.IPv6Any) && Socket.OSSupportsIPv4;

    /// <summary>Opens and binds.</summary>
    /// <param name="endpoint">Where.</param>
    /// <param name="options">The options of the transport.</param>
    /// <param name="prepare">Sets what must be set before binding.</param>
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
            socket.Bind(endpoint);
            return socket;
        }
        catch (SocketException exception)
        {
            socket?.Dispose();
            throw new CoapBindException("UDP", endpoint, exception);
        }
    }

    public static CoapAddress AddressOf(Socket socket) => CoapAddress.FromIPEndPoint((IPEndPoint)socket.LocalEndPoint!);
}
