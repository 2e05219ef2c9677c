using System.Net;
using System.Net.NetworkInformation;
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

    /// <summary>Joins the groups of the socket's IP versions, each on the interface it names or on all that can.</summary>
    public static void JoinGroups(Socket socket, CoapTransportContext context, CoapUdpTransportOptions options)
    {
        bool ipv6 = socket.AddressFamily == AddressFamily.InterNetworkV6;
        foreach (IPAddress group in options.MulticastGroups)
        {
            bool fits = group.AddressFamily == AddressFamily.InterNetworkV6 ? ipv6 : !ipv6 || socket.DualMode;
            if (!fits)
            {
                continue;
            }

            foreach (int index in InterfacesFor(group))
            {
                try
                {
                    Join(socket, group, index);
                }
                catch (SocketException exception)
                {
                    Log.MulticastJoinFailed(context.Logger, group, index, exception.Message);
                }
            }
        }
    }

    private static void Join(Socket socket, IPAddress group, int index)
    {
        if (group.AddressFamily == AddressFamily.InterNetworkV6)
        {
            socket.SetSocketOption(SocketOptionLevel.IPv6, SocketOptionName.AddMembership, new IPv6MulticastOption(group, index));
        }
        else
        {
            socket.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.AddMembership, new MulticastOption(group, index));
        }
    }

    private static List<int> InterfacesFor(IPAddress group)
    {
        bool ipv6 = group.AddressFamily == AddressFamily.InterNetworkV6;
        if (ipv6 && group.ScopeId != 0)
        {
            return [(int)group.ScopeId];
        }

        List<int> indexes = [];
        foreach (NetworkInterface adapter in NetworkInterface.GetAllNetworkInterfaces())
        {
            // The loopback interface does not say that it can, but joining there works and costs nothing.
            if (adapter.OperationalStatus is OperationalStatus.Up or OperationalStatus.Unknown
                && (adapter.SupportsMulticast || adapter.NetworkInterfaceType == NetworkInterfaceType.Loopback)
                && adapter.Supports(ipv6 ? NetworkInterfaceComponent.IPv6 : NetworkInterfaceComponent.IPv4))
            {
                IPInterfaceProperties properties = adapter.GetIPProperties();
                int? index = ipv6 ? properties.GetIPv6Properties()?.Index : properties.GetIPv4Properties()?.Index;
                if (index is { } known)
                {
                    indexes.Add(known);
                }
            }
        }

        return indexes;
    }
}
