using System.Globalization;
using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace CoAP.NET.Transports.Udp;

/// <summary>Manages groups on sockets (RFC 7252 section 8): joining, and the choice of the interface.</summary>
internal static class UdpGroupManager
{
    /// <summary>Joins the groups of the options on all sockets that are bound to any address, each for the socket's IP versions.</summary>
    /// <param name="sockets">The sockets of a transport, one for each of its addresses.</param>
    /// <param name="context">The context, for the log.</param>
    /// <param name="options">The groups and interfaces.</param>
    /// <exception cref="CoapException">
    /// No socket can join, an interface does not exist, or no group could be joined on any interface.
    /// </exception>
    /// <returns>The memberships, which follow the interfaces until they are disposed; null without groups.</returns>
    public static UdpMemberships? Join(IEnumerable<Socket> sockets, ICoapTransportContext context, CoapUdpTransportOptions options)
    {
        if (options.MulticastGroups.Count == 0)
        {
            return null;
        }

        Socket[] wildcards = [.. sockets.Where(static socket => UdpSockets.AddressOf(socket).IsAny)];
        if (wildcards.Length == 0)
        {
            throw new CoapException(
                "Groups can only be joined where the endpoint listens on any address: listen on coap://[::] or coap://0.0.0.0.");
        }

        UdpMemberships memberships = new(wildcards, context, options);
        if (memberships.JoinAll(out SocketException? last) == 0)
        {
            throw new CoapException(
                $"No group could be joined on any interface. {last?.Message} Name suitable interfaces, or do not join groups.", last);
        }

        memberships.Follow();
        return memberships;
    }

    /// <summary>Returns the index of a named interface. An unknown interface is an error.</summary>
    /// <param name="name">A name such as <c>eth0</c>, or an index.</param>
    /// <param name="ipv6">Whether to use IPv6.</param>
    /// <exception cref="CoapException">The interface does not exist.</exception>
    public static int IndexOf(string name, bool ipv6)
    {
        if (int.TryParse(name, NumberStyles.None, CultureInfo.InvariantCulture, out int index) && index > 0)
        {
            return index;
        }

        NetworkInterface[] all = NetworkInterface.GetAllNetworkInterfaces();
        NetworkInterface found = Array.Find(all, adapter => adapter.Name == name || adapter.Id == name)
            ?? throw new CoapException(
                $"This machine has no interface '{name}'; it has {string.Join(", ", all.Select(static adapter => adapter.Name))}.");
        return IndexOf(found, ipv6) ?? throw new CoapException($"The interface '{name}' does not have {(ipv6 ? "IPv6" : "IPv4")}.");
    }

    /// <summary>Joins or leaves a group on an interface.</summary>
    /// <exception cref="SocketException">The operation failed.</exception>
    public static void Set(Socket socket, IPAddress group, int index, SocketOptionName membership)
    {
        if (group.AddressFamily == AddressFamily.InterNetworkV6)
        {
            socket.SetSocketOption(SocketOptionLevel.IPv6, membership, new IPv6MulticastOption(group, index));
        }
        else
        {
            socket.SetSocketOption(SocketOptionLevel.IP, membership, new MulticastOption(group, index));
        }
    }

    /// <summary>Returns the indexes of all interfaces, up or not.</summary>
    public static HashSet<int> Present() =>
        [.. NetworkInterface.GetAllNetworkInterfaces()
            .SelectMany(static adapter => (int?[])[IndexOf(adapter, ipv6: false), IndexOf(adapter, ipv6: true)]).OfType<int>()];

    /// <summary>Returns the interfaces on which a group must be joined now.</summary>
    /// <param name="group">The group.</param>
    /// <param name="options">The options with the named interfaces.</param>
    /// <param name="evenIfDown">
    /// Whether to include interfaces that are down or have no address of the IP version yet: the operating system keeps the membership for
    /// later.
    /// </param>
    /// <returns>Their indexes.</returns>
    /// <exception cref="CoapException">A named interface does not exist.</exception>
    public static List<int> InterfacesFor(IPAddress group, CoapUdpTransportOptions options, bool evenIfDown)
    {
        bool ipv6 = group.AddressFamily == AddressFamily.InterNetworkV6;
        if (ipv6 && group.ScopeId != 0)
        {
            return [(int)group.ScopeId];
        }

        if (options.MulticastInterfaces.Count > 0)
        {
            return [.. options.MulticastInterfaces.Select(name => IndexOf(name, ipv6))];
        }

        List<int> indexes = [];
        foreach (NetworkInterface adapter in NetworkInterface.GetAllNetworkInterfaces())
        {
            // The loopback interface does not report multicast support, but joining there works and costs nothing.
            if ((evenIfDown || adapter.OperationalStatus is OperationalStatus.Up or OperationalStatus.Unknown)
                && (adapter.SupportsMulticast || adapter.NetworkInterfaceType == NetworkInterfaceType.Loopback)
                && (IndexOf(adapter, ipv6) ?? (evenIfDown ? IndexOf(adapter, !ipv6) : null)) is { } index)
            {
                indexes.Add(index);
            }
        }

        return indexes;
    }

    private static int? IndexOf(NetworkInterface adapter, bool ipv6)
    {
        if (!adapter.Supports(ipv6 ? NetworkInterfaceComponent.IPv6 : NetworkInterfaceComponent.IPv4))
        {
            return null;
        }

        IPInterfaceProperties properties = adapter.GetIPProperties();
        return ipv6 ? properties.GetIPv6Properties()?.Index : properties.GetIPv4Properties()?.Index;
    }
}
