using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Proxy.Admission;

/// <summary>
/// The address ranges that are not part of the public Internet. A proxy that sends there for strangers opens its own network.
/// </summary>
internal static class SpecialPurposeAddressRanges
{
    /// <summary>The ranges and their kinds (IANA special-purpose address registries; RFC 6890).</summary>
    public static readonly (IPNetwork Network, string What)[] Special =
    [
        (IPNetwork.Parse("0.0.0.0/8"), "this host"),
        (IPNetwork.Parse("10.0.0.0/8"), "a private network"),
        (IPNetwork.Parse("100.64.0.0/10"), "a provider's private network"),
        (IPNetwork.Parse("127.0.0.0/8"), "loopback"),
        (IPNetwork.Parse("169.254.0.0/16"), "link-local"),
        (IPNetwork.Parse("172.16.0.0/12"), "a private network"),
        (IPNetwork.Parse("192.0.0.0/24"), "reserved"),
        (IPNetwork.Parse("192.168.0.0/16"), "a private network"),
        (IPNetwork.Parse("198.18.0.0/15"), "reserved"),
        (IPNetwork.Parse("224.0.0.0/4"), "multicast"),
        (IPNetwork.Parse("240.0.0.0/4"), "reserved or broadcast"),
        (IPNetwork.Parse("::/128"), "this host"),
        (IPNetwork.Parse("::1/128"), "loopback"),
        (IPNetwork.Parse("64:ff9b:1::/48"), "a translator's private network"),
        (IPNetwork.Parse("100::/64"), "reserved"),
        (IPNetwork.Parse("fc00::/7"), "a private network"),
        (IPNetwork.Parse("fe80::/10"), "link-local"),
        (IPNetwork.Parse("fec0::/10"), "a private network"),
        (IPNetwork.Parse("ff00::/8"), "multicast"),
    ];

    private static readonly IPNetwork s_translated = IPNetwork.Parse("64:ff9b::/96");
    private static readonly IPNetwork s_stateless = IPNetwork.Parse("::ffff:0:0:0/96");
    private static readonly IPNetwork s_sixToFour = IPNetwork.Parse("2002::/16");

    /// <summary>Returns the kind of a non-public address; null for a public one.</summary>
    /// <param name="address">The address. An address that embeds an IPv4 address, such as of a translator, is also checked as that.</param>
    public static string? Find(IPAddress address)
    {
        foreach (IPAddress meant in Meant(address))
        {
            foreach ((IPNetwork network, string what) in Special)
            {
                if (network.Contains(meant))
                {
                    return what;
                }
            }
        }

        return null;
    }

    /// <summary>Removes the zone of an address, and converts an IPv4-mapped address to IPv4.</summary>
    public static IPAddress Normalize(IPAddress address) =>
        address.IsIPv4MappedToIPv6 ? address.MapToIPv4()
        : address.AddressFamily == AddressFamily.InterNetworkV6 && address.ScopeId != 0 ? new IPAddress(address.GetAddressBytes())
        : address;

    private static IEnumerable<IPAddress> Meant(IPAddress address)
    {
        address = Normalize(address);
        yield return address;
        if (address.AddressFamily != AddressFamily.InterNetworkV6)
        {
            yield break;
        }

        byte[] bytes = address.GetAddressBytes();
        if (s_translated.Contains(address) || s_stateless.Contains(address) || IsIsatap(bytes)
            || bytes.AsSpan(0, 12).IndexOfAnyExcept((byte)0) < 0)
        {
            yield return new IPAddress(bytes.AsSpan(12));
        }

        if (address.IsIPv6Teredo)
        {
            // The server, and the client with all bits inverted (RFC 4380 section 4).
            yield return new IPAddress(bytes.AsSpan(4, 4));
            yield return new IPAddress([(byte)~bytes[12], (byte)~bytes[13], (byte)~bytes[14], (byte)~bytes[15]]);
        }

        if (s_sixToFour.Contains(address))
        {
            yield return new IPAddress(bytes.AsSpan(2, 4));
        }
    }

    // The interface identifier marks it under any prefix (RFC 5214 section 6.1): 0000:5efe or 0200:5efe.
    private static bool IsIsatap(byte[] bytes) => (bytes[8] & ~2) == 0 && bytes[9] == 0 && bytes[10] == 0x5e && bytes[11] == 0xfe;
}
