using System.Diagnostics.CodeAnalysis;
using System.Net;
using CoAP.NET.Proxy.Admission;

namespace CoAP.NET.Proxy;

/// <summary>
/// Whom a forward proxy may ask. Nothing is allowed until it is named. A name is checked twice: as it stands in the URI, and by the
/// addresses that it resolves to just before the request is sent, so that nobody can point a name that is allowed at a machine that is not.
/// Thread-safe; changes hold for later requests.
/// </summary>
/// <remarks>
/// Addresses that are not public (loopback, link-local, private, reserved) are asked only if <see cref="AllowNetwork(string)"/> names them,
/// or <see cref="AllowHost"/> as an address; groups never.
/// </remarks>
public sealed class CoapProxyTargets
{
    private readonly Lock _gate = new();
    private string[] _hosts = [];
    private IPNetwork[] _networks = [];
    private int _version;

    /// <summary>Another number after each change.</summary>
    internal int Version => Volatile.Read(ref _version);

    /// <summary>Allows a host, whatever its port.</summary>
    /// <param name="host">
    /// A name such as <c>sensor.example.com</c>; <c>*.example.com</c> for every name below a domain; <c>*</c> for every name and every
    /// public address, which makes an open proxy; or an IP address, with brackets or without.
    /// </param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">It is neither.</exception>
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
                    $"'{host}' is no host. Write a name such as sensor.example.com, *.example.com for all names below it, or an address.",
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

    /// <summary>Allows all addresses of a network, also ones that are not public, and every name that resolves to them.</summary>
    /// <param name="network">Address and length of the prefix, such as <c>2001:db8::/32</c> or <c>192.168.7.0/24</c>.</param>
    /// <returns>This object.</returns>
    /// <exception cref="FormatException">It is no network.</exception>
    public CoapProxyTargets AllowNetwork(string network)
    {
        ArgumentNullException.ThrowIfNull(network);
        return AllowNetwork(IPNetwork.Parse(network));
    }

    /// <summary>Allows all addresses of a network, also ones that are not public, and every name that resolves to them.</summary>
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

    /// <summary>Whether a host may be asked at one of its addresses. What sends a request on has to ask this for the very address that it
    /// sends to.</summary>
    /// <param name="host">The host as it stands in the URI; brackets of an IPv6 address do not matter.</param>
    /// <param name="address">The address, as just resolved.</param>
    /// <returns>Whether it may.</returns>
    public bool Allows(string host, IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(address);
        address = AddressRanges.Normalize(address);
        return !IsGroup(address) && (IsNamed(address) || (IsNamed(host) && AddressRanges.Find(address) is null));
    }

    /// <summary>Whether a host may be asked as far as its name says; false also saves resolving it.</summary>
    /// <param name="host">The host as it stands in the URI.</param>
    /// <returns>Whether it may; for a name that is not allowed itself whether there are networks that it may turn out to be in.</returns>
    public bool MayAllow(string host)
    {
        ArgumentNullException.ThrowIfNull(host);
        return TryReadAddress(host, out IPAddress? address)
            ? Allows(host, address)
            : IsNamed(host) || Volatile.Read(ref _networks).Length > 0;
    }

    /// <summary>Those of the addresses of a host that may be asked, for what resolves names and connects itself.</summary>
    /// <param name="host">The host as it stands in the URI.</param>
    /// <param name="addresses">Its addresses, as just resolved.</param>
    /// <returns>Those that may be asked, in the same order; empty only where there were none.</returns>
    /// <exception cref="CoapTargetDeniedException">There are addresses, and none of them may be asked.</exception>
    public IPAddress[] Filter(string host, IPAddress[] addresses)
    {
        ArgumentNullException.ThrowIfNull(addresses);
        IPAddress[] allowed = Array.FindAll(addresses, address => Allows(host, address));
        return allowed.Length > 0 || addresses.Length == 0 ? allowed
            : throw new CoapTargetDeniedException($"{host} may not be asked through this proxy.");
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
