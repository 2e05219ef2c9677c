using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Groups;

/// <summary>A theory that needs multicast to come back to this machine; skipped, with the reason, where it does not.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class MulticastTheoryAttribute : TheoryAttribute
{
    private static readonly Lazy<string?> s_ipv4 = new(() => InterfaceOf(ipv6: false) is null ? Reason("IPv4") : null);
    private static readonly Lazy<string?> s_ipv6 = new(() => InterfaceOf(ipv6: true) is null ? Reason("IPv6") : null);

    /// <summary>Makes it.</summary>
    /// <param name="ipv6">Which IP version the test needs.</param>
    public MulticastTheoryAttribute(bool ipv6 = false)
    {
        IsIPv6 = ipv6;
        Skip = ipv6 ? s_ipv6.Value : s_ipv4.Value;
    }

    public bool IsIPv6 { get; }

    /// <summary>The interface to try: the loopback one if it can, otherwise the first that can.</summary>
    public static string? InterfaceOf(bool ipv6) => NetworkInterface.GetAllNetworkInterfaces()
        .Where(adapter => adapter.OperationalStatus is OperationalStatus.Up or OperationalStatus.Unknown
            && adapter.Supports(ipv6 ? NetworkInterfaceComponent.IPv6 : NetworkInterfaceComponent.IPv4))
        .OrderBy(adapter => adapter.NetworkInterfaceType != NetworkInterfaceType.Loopback)
        .FirstOrDefault(adapter => ComesBack(adapter, ipv6))?.Name;

    private static bool ComesBack(NetworkInterface adapter, bool ipv6)
    {
        try
        {
            IPInterfaceProperties properties = adapter.GetIPProperties();
            int index = ipv6 ? properties.GetIPv6Properties().Index : properties.GetIPv4Properties().Index;
            IPAddress group = ipv6 ? IPAddress.Parse($"ff02::fd%{index}") : IPAddress.Parse("224.0.1.187");
            using Socket member = Open(ipv6);
            using Socket asker = Open(ipv6);
            if (ipv6)
            {
                member.SetSocketOption(SocketOptionLevel.IPv6, SocketOptionName.AddMembership, new IPv6MulticastOption(group, index));
                asker.SetSocketOption(SocketOptionLevel.IPv6, SocketOptionName.MulticastInterface, index);
            }
            else
            {
                member.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.AddMembership, new MulticastOption(group, index));
                asker.SetSocketOption(SocketOptionLevel.IP, SocketOptionName.MulticastInterface, IPAddress.HostToNetworkOrder(index));
            }

            asker.SendTo([1], new IPEndPoint(group, ((IPEndPoint)member.LocalEndPoint!).Port));
            if (!member.Poll(FromSeconds(1), SelectMode.SelectRead))
            {
                return false;
            }

            // Where there is nothing but a loopback interface the question comes from 0.0.0.0, and no peer has that address.
            EndPoint source = new IPEndPoint(ipv6 ? IPAddress.IPv6Any : IPAddress.Any, 0);
            member.ReceiveFrom(new byte[1], ref source);
            return !((IPEndPoint)source).Address.Equals(ipv6 ? IPAddress.IPv6Any : IPAddress.Any);
        }
        catch (Exception exception) when (exception is SocketException or NetworkInformationException)
        {
            return false;
        }
    }

    private static Socket Open(bool ipv6)
    {
        Socket socket = new(ipv6 ? AddressFamily.InterNetworkV6 : AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(ipv6 ? IPAddress.IPv6Any : IPAddress.Any, 0));
        return socket;
    }

    private static string Reason(string version) =>
        $"no interface of this machine brings back what is sent to an {version} group with the address of its sender";
}
