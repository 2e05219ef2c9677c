using System.Diagnostics.CodeAnalysis;
using System.Net;
using CoAP.NET.Proxy.Admission;

namespace CoAP.NET.Proxy;

/// <summary>The targets that a forward proxy may send to. Nothing is allowed by default.</summary>
/// <remarks>
/// The proxy checks a name twice: as it is in the URI, and by the addresses that it resolves to just before the request is sent. An
/// attacker therefore cannot point an allowed name at a forbidden machine. The proxy sends to non-public addresses (loopback, link-local,
/// private, reserved) only if <see cref="AllowNetwork(string)"/> names them, or <see cref="AllowHost"/> as an address, and never to groups.
/// Thread-safe; changes apply to later requests.
/// </remarks>
public sealed class CoapProxyTargets
{
    private readonly Lock _gate = new();
    private string[] _hosts = [];
    private IPNetwork[] _networks = [];
    private int _version;

    /// <summary>A number that changes with each change of the targets.</summary>
    internal int Version => Volatile.Read(ref _version);

    /// <summary>Allows a host with any port.</summary>
    /// <param name="host">A name such as <c>sensor.example.com</c>; <c>*.example.com</c> for every name below a domain; an IP address, with
    /// or without brackets; or <c>*</c> for every name and every public address, which makes an open proxy.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">The text is neither a name nor an address.</exception>
    public CoapProxyTargets AllowHost(string host)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(host);
        if (IPAddress.TryParse(host, out IPAddress? address))
        {
            return AllowNetwork(new IPNetwork(AddressRanges.Normalize(address),
                AddressRanges.Normalize(address).GetAddressBytes().Length * 8));
        }

        string name = host.StartsWith("*.", StringComparison.Ordinal) ? host[2..] : host;
        string normal = name;
        if (name != "*")
        {
            if (!CoapUri.TryParse($"coap://{name}/", out CoapUri? uri) || uri.PathSegments.Count > 0
                || name.AsSpan().IndexOfAny('*', ':') >= 0)
            {
                throw new ArgumentException(
                    $"'{host}' is not a host. Use a name such as sensor.example.com, *.example.com for all names below it, or an address.",
                    nameof(host));
            }

            normal = uri.Host;
        }

        lock (_gate)
        {
            _hosts = [.. _hosts, name == host ? normal : $"*.{normal}"];
            Volatile.Write(ref _version, _version + 1);
        }

        return this;
    }

    /// <summary>Allows all addresses of a network, including non-public ones.</summary>
    /// <remarks>
    /// A URI may contain such an address, or a name that <see cref="AllowHost"/> allows and that resolves to it. Other names are not looked
    /// up: clients could make the proxy look up any name.
    /// </remarks>
    /// <param name="network">Address and prefix length, such as <c>2001:db8::/32</c> or <c>192.168.7.0/24</c>.</param>
    /// <returns>This object.</returns>
    /// <exception cref="FormatException">The text is not a network.</exception>
    public CoapProxyTargets AllowNetwork(string network)
    {
        ArgumentNullException.ThrowIfNull(network);
        return AllowNetwork(IPNetwork.Parse(network));
    }

    /// <summary>Allows all addresses of a network, including non-public ones; see <see cref="AllowNetwork(string)"/>.</summary>
    /// <param name="network">The network.</param>
    /// <returns>This object.</returns>
    public CoapProxyTargets AllowNetwork(IPNetwork network)
    {
        lock (_gate)
        {
            _networks = [.. _networks, network];
            Volatile.Write(ref _version, _version + 1);
        }

        return this;
    }

    /// <summary>Whether requests to a host may go to one of its addresses.</summary>
    /// <remarks>
    /// Code that forwards a request must call <see cref="MayAllow"/> before it looks up a name, and this method for the exact address that
    /// it sends to.
    /// </remarks>
    /// <param name="host">The host as in the URI; brackets of an IPv6 address are ignored.</param>
    /// <param name="address">The freshly resolved address.</param>
    /// <returns>Whether the address is allowed.</returns>
    public bool Allows(string host, IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(address);
        address = AddressRanges.Normalize(address);
        return !IsGroup(address) && (IsNamed(address) || (IsNamed(host) && AddressRanges.Find(address) is null));
    }

    /// <summary>Whether the name of a host is acceptable; if not, there is no need to resolve it.</summary>
    /// <param name="host">The host as in the URI.</param>
    /// <returns>Whether the name is allowed, or the host is an allowed address.</returns>
    public bool MayAllow(string host)
    {
        ArgumentNullException.ThrowIfNull(host);
        return TryReadAddress(host, out IPAddress? address) ? Allows(host, address) : IsNamed(host);
    }

    /// <summary>Returns the allowed addresses of a host, for code that resolves names and connects itself.</summary>
    /// <param name="host">The host as in the URI.</param>
    /// <param name="addresses">The freshly resolved addresses.</param>
    /// <returns>The allowed addresses in the same order; empty only if <paramref name="addresses"/> is.</returns>
    /// <exception cref="CoapTargetDeniedException">None of the addresses is allowed.</exception>
    public IPAddress[] Filter(string host, IPAddress[] addresses)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        IPAddress[] allowed = Array.FindAll(addresses, address => Allows(host, address));
        return allowed.Length > 0 || addresses.Length == 0 ? allowed
            : throw new CoapTargetDeniedException($"This proxy does not allow the target {host}.");
    }

    internal static bool IsGroup(IPAddress address) => AddressRanges.Find(address) == "multicast";

    private static bool TryReadAddress(string host, [NotNullWhen(true)] out IPAddress? address) =>
        IPAddress.TryParse(host, out address);

    private bool IsNamed(IPAddress address)
    {
        foreach (IPNetwork network in Volatile.Read(ref _networks))
        {
            if (network.Contains(address))
            {
                return true;
            }
        }

        return false;
    }

    private bool IsNamed(string host)
    {
        string name = host.TrimEnd('.');
        foreach (string allowed in Volatile.Read(ref _hosts))
        {
            if (allowed == "*"
                || (allowed.StartsWith("*.", StringComparison.Ordinal)
                    ? name.Length > allowed.Length - 1 && name.EndsWith(allowed.AsSpan(1), StringComparison.OrdinalIgnoreCase)
                    : string.Equals(name, allowed, StringComparison.OrdinalIgnoreCase)))
            {
                return true;
            }
        }

        return false;
    }
}
