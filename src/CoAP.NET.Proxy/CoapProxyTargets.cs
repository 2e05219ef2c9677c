using System.Net;
using CoAP.NET.Proxy.Admission;

namespace CoAP.NET.Proxy;

/// <summary>The targets that a forward proxy may send to. Nothing is allowed by default.</summary>
/// <remarks>
/// The proxy checks a name twice: as it is in the URI, and by the addresses that it resolves to just before the request is sent. An
/// attacker therefore cannot point an allowed name at a forbidden machine. The proxy sends to non-public addresses (loopback, link-local,
/// private, reserved) only if <see cref="AllowNetwork(string)"/> names them, or <see cref="AllowHost"/> as an address, and never to groups.
/// Other ports than the defaults of the schemes need to be named too: services of other protocols listen at them. Thread-safe; changes
/// apply to later requests.
/// </remarks>
public sealed class CoapProxyTargets
{
    private readonly Lock _gate = new();
    private AllowedHost[] _hosts = [];
    private AllowedNetwork[] _networks = [];
    private int _version;

    /// <summary>A number that changes with each change of the targets.</summary>
    internal int Version => Volatile.Read(ref _version);

    /// <summary>Allows a host, with the default port of each scheme or with one port.</summary>
    /// <param name="host">A name such as <c>sensor.example.com</c>; <c>*.example.com</c> for every name below a domain; an IP address, an
    /// IPv6 address with a port in brackets; or <c>*</c> for every name and every public address, which makes an open proxy. With a port,
    /// such as <c>sensor.example.com:5685</c>, that port; with <c>:*</c> every port; otherwise the default port of the target's scheme.
    /// </param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">The text is neither a name nor an address, or its port is none.</exception>
    public CoapProxyTargets AllowHost(string host)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(host);
        (string named, AllowedPort port) = AllowedPort.Split(host, EndOfHost(host))
            ?? throw NoHost(host);
        if (IPAddress.TryParse(named, out IPAddress? address))
        {
            address = SpecialPurposeAddressRanges.Normalize(address);
            return Add(new IPNetwork(address, address.GetAddressBytes().Length * 8), port);
        }

        string name = named.StartsWith("*.", StringComparison.Ordinal) ? named[2..] : named;
        string normal = name;
        if (name != "*")
        {
            if (!CoapUri.TryParse($"coap://{name}/", out CoapUri? uri) || uri.PathSegments.Count > 0
                || name.AsSpan().IndexOfAny('*', ':') >= 0)
            {
                throw NoHost(host);
            }

            normal = uri.Host;
        }

        lock (_gate)
        {
            _hosts = [.. _hosts, new AllowedHost(name == named ? normal : $"*.{normal}", port)];
            Volatile.Write(ref _version, _version + 1);
        }

        return this;
    }

    /// <summary>Allows all addresses of a network, including non-public ones.</summary>
    /// <remarks>
    /// A URI may contain such an address, or a name that <see cref="AllowHost"/> allows and that resolves to it; the port of a name is
    /// that of <see cref="AllowHost"/>. Other names are not looked up: clients could make the proxy look up any name.
    /// </remarks>
    /// <param name="network">Address and prefix length, such as <c>2001:db8::/32</c> or <c>192.168.7.0/24</c>. With a port, such as
    /// <c>192.168.7.0/24:5685</c>, that port; with <c>:*</c> every port; otherwise the default port of the target's scheme.</param>
    /// <returns>This object.</returns>
    /// <exception cref="ArgumentException">The text is not a network, or its port is none.</exception>
    public CoapProxyTargets AllowNetwork(string network)
    {
        ArgumentNullException.ThrowIfNull(network);
        int length = network.IndexOf('/', StringComparison.Ordinal);
        int end = length < 0 ? -1 : network.IndexOf(':', length);
        (string named, AllowedPort port) = AllowedPort.Split(network, end < 0 ? network.Length : end)
            ?? throw new ArgumentException(
                $"The port of '{network}' is neither a number from 1 to 65535 nor * for every port.", nameof(network));
        return IPNetwork.TryParse(named, out IPNetwork parsed)
            ? Add(parsed, port)
            : throw new ArgumentException(
                $"'{network}' is not a network. Write its first address and the length of its prefix, such as 2001:db8::/32.",
                nameof(network));
    }

    /// <summary>
    /// Allows all addresses of a network with the default port of each scheme, including non-public ones; see
    /// <see cref="AllowNetwork(string)"/>.
    /// </summary>
    /// <param name="network">The network.</param>
    /// <returns>This object.</returns>
    internal CoapProxyTargets AllowNetwork(IPNetwork network) => Add(network, default);

    /// <summary>Whether requests to a host may go to one of its addresses.</summary>
    /// <remarks>
    /// Code that forwards a request must call <see cref="MayAllow(CoapUri)"/> before it looks up a name, and this method for the exact
    /// address that it sends to.
    /// </remarks>
    /// <param name="host">The host as in the URI; brackets of an IPv6 address are ignored.</param>
    /// <param name="address">The freshly resolved address.</param>
    /// <returns>Whether the address is allowed.</returns>
    internal bool Allows(string host, IPAddress address)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(address);
        return Allows(host, address, port: null, isDefault: false);
    }

    /// <summary>Whether host and port of a target are acceptable; if not, there is no need to resolve the host.</summary>
    /// <returns>Whether the name with this port is allowed, or the host is an allowed address.</returns>
    internal bool MayAllow(CoapUri target)
    {
        ArgumentNullException.ThrowIfNull(target);
        return MayAllow(target.Host, target.Port, target.IsDefaultPort);
    }

    /// <summary>Whether host and port of a target of another scheme are acceptable; see <see cref="MayAllow(CoapUri)"/>.</summary>
    /// <param name="target">The target; absolute.</param>
    /// <returns>Whether the name with this port is allowed, or the host is an allowed address.</returns>
    internal bool MayAllow(Uri target)
    {
        ArgumentNullException.ThrowIfNull(target);
        return CoapUri.TryParse(target.OriginalString, out CoapUri? known)
            ? MayAllow(known)
            : MayAllow(target.DnsSafeHost, target.Port, target.IsDefaultPort);
    }

    /// <summary>Returns the allowed addresses of a host, for code that resolves names and connects itself.</summary>
    /// <returns>The allowed addresses in the same order; empty only if <paramref name="addresses"/> is.</returns>
    /// <exception cref="CoapTargetDeniedException">None of the addresses is allowed.</exception>
    internal IPAddress[] Filter(string host, IPAddress[] addresses)
    {
        ArgumentNullException.ThrowIfNull(host);
        ArgumentNullException.ThrowIfNull(addresses);
        IPAddress[] allowed = Array.FindAll(addresses, address => Allows(host, address));
        return allowed.Length > 0 || addresses.Length == 0 ? allowed
            : throw new CoapTargetDeniedException($"This proxy does not allow the target {host}.");
    }

    internal static bool IsGroup(IPAddress address) => SpecialPurposeAddressRanges.Find(address) == "multicast";

    private bool MayAllow(string host, int port, bool isDefault) =>
        IPAddress.TryParse(host, out IPAddress? address) ? Allows(host, address, port, isDefault) : IsNamed(host, port, isDefault);

    private bool Allows(string host, IPAddress address, int? port, bool isDefault)
    {
        address = SpecialPurposeAddressRanges.Normalize(address);
        return !IsGroup(address)
            && (IsNamed(address, port, isDefault) || (IsNamed(host, port, isDefault) && SpecialPurposeAddressRanges.Find(address) is null));
    }

    private static ArgumentException NoHost(string host) => new(
        $"'{host}' is not a host. Use a name such as sensor.example.com, *.example.com for all names below it, or an address, and after it "
            + "a port such as :5685, or :* for every port, if it is not the default of the scheme.",
        nameof(host));

    // A colon ends the name, unless the text is an IPv6 address, which has several; with a port it is in brackets.
    private static int EndOfHost(string host)
    {
        int bracket = host.LastIndexOf(']');
        int colon = host.IndexOf(':', bracket + 1);
        return colon < 0 || host.IndexOf(':', colon + 1) >= 0 ? host.Length : colon;
    }

    private CoapProxyTargets Add(IPNetwork network, AllowedPort port)
    {
        lock (_gate)
        {
            _networks = [.. _networks, new AllowedNetwork(network, port)];
            Volatile.Write(ref _version, _version + 1);
        }

        return this;
    }

    private bool IsNamed(IPAddress address, int? port, bool isDefault)
    {
        foreach (AllowedNetwork allowed in Volatile.Read(ref _networks))
        {
            if (allowed.Network.Contains(address) && (port is not { } number || allowed.Port.Allows(number, isDefault)))
            {
                return true;
            }
        }

        return false;
    }

    private bool IsNamed(string host, int? port, bool isDefault)
    {
        string name = host.TrimEnd('.');
        foreach (AllowedHost allowed in Volatile.Read(ref _hosts))
        {
            if (allowed.Matches(name) && (port is not { } number || allowed.Port.Allows(number, isDefault)))
            {
                return true;
            }
        }

        return false;
    }
}
