using System.Net;
using System.Net.NetworkInformation;
using System.Net.Sockets;

namespace CoAP.NET.Cluster;

/// <summary>The addresses of links: for listening, and for connections of other nodes.</summary>
internal static class LinkAddress
{
    /// <summary>The scheme of links: CoAP over TLS (RFC 8323 section 8.2).</summary>
    public const string Scheme = "coaps+tcp";

    private const string Prefix = Scheme + "://";

    /// <summary>Whether a text can be an address to listen on; binding it finds further errors.</summary>
    public static bool CanBeListenedAt(string text) => text.StartsWith(Prefix, StringComparison.OrdinalIgnoreCase) && IsBare(text);

    /// <summary>Whether an address is suitable for connections of other nodes: scheme, host and port, and nothing else.</summary>
    public static bool CanBeConnectedTo(string text) =>
        CoapUri.TryParse(text, out CoapUri? uri) && uri.Scheme == Scheme && IsBare(text) && !uri.Host.EndsWith('*') && uri.Port > 0
        && (uri.HostAddress is not { } address || !IsAny(address));

    /// <summary>Returns the address for other nodes if none is configured.</summary>
    /// <param name="bound">An address that this node listens on.</param>
    public static string Advertised(string bound)
    {
        CoapUri uri = CoapUri.Parse(bound);
        if (uri.HostAddress is not { } address || !IsAny(address))
        {
            return $"{Prefix}{uri.Host}:{uri.Port}";
        }

        IPAddress own = OwnAddress(address.AddressFamily == AddressFamily.InterNetwork);
        return $"{Prefix}{(own.AddressFamily == AddressFamily.InterNetworkV6 ? $"[{own}]" : own.ToString())}:{uri.Port}";
    }

    private static bool IsAny(IPAddress address) => address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any);

    private static bool IsBare(string text) => text.AsSpan(Math.Min(text.Length, Prefix.Length)).IndexOfAny('/', '?', '#') < 0;

    // The address of an interface with a gateway, as in a container; otherwise any but loopback; otherwise loopback, for a single machine.
    private static IPAddress OwnAddress(bool isIPv4Only)
    {
        IPAddress? found = null;
        foreach (NetworkInterface network in NetworkInterface.GetAllNetworkInterfaces())
        {
            if (network.OperationalStatus != OperationalStatus.Up || network.NetworkInterfaceType == NetworkInterfaceType.Loopback)
            {
                continue;
            }

            IPInterfaceProperties properties = network.GetIPProperties();
            foreach (UnicastIPAddressInformation unicast in properties.UnicastAddresses)
            {
                IPAddress address = unicast.Address;
                if (address.IsIPv6LinkLocal || (isIPv4Only && address.AddressFamily != AddressFamily.InterNetwork))
                {
                    continue;
                }

                if (properties.GatewayAddresses.Any(gateway => gateway.Address.AddressFamily == address.AddressFamily))
                {
                    return address;
                }

                found ??= address;
            }
        }

        return found ?? IPAddress.Loopback;
    }
}
