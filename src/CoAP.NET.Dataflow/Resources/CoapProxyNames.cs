using System.Globalization;
using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET.Resources;

/// <summary>The names of a proxy itself: the given names, and the addresses and ports of its transports.</summary>
/// <remarks>
/// The server handles a request for one of them itself and does not forward it, so that attackers cannot make it talk to itself (RFC 7252
/// sections 5.7.2 and 5.10.2). Immutable.
/// </remarks>
internal sealed class CoapProxyNames
{
    private readonly (string Host, int? Port)[] _names;

    /// <summary>Creates the names.</summary>
    /// <param name="names">
    /// Host names and addresses, with or without a port: <c>gateway.example.com</c>, <c>192.0.2.1:5690</c>, <c>[2001:db8::1]</c>. A name
    /// without a port means the default port of every scheme and all ports that the server listens on.
    /// </param>
    /// <exception cref="ArgumentException">One of them is not a host.</exception>
    public CoapProxyNames(params IEnumerable<string> names)
    {
        ArgumentNullException.ThrowIfNull(names);
        _names = [.. names.Select(Read)];
    }

    /// <summary>Returns whether a URI names the server that received a request, as far as its transport knows.</summary>
    /// <param name="target">The URI that a client requests from a proxy.</param>
    /// <param name="channel">The channel of the request, with its transport and local address.</param>
    /// <returns>Whether it does.</returns>
    public bool Contains(CoapUri target, CoapChannel channel)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(channel);
        return Contains(target, channel, [channel.Transport]);
    }

    /// <summary>Returns whether a URI names the server that received a request, by any of its transports.</summary>
    internal bool Contains(CoapUri target, CoapChannel channel, ReadOnlySpan<CoapTransport> transports)
    {
        bool isOurPort = channel.Local.Port == target.Port || ListensOn(target.Port, transports);
        foreach ((string host, int? port) in _names)
        {
            if (string.Equals(host, target.Host, StringComparison.Ordinal)
                && (port is { } own ? own == target.Port : isOurPort || target.IsDefaultPort))
            {
                return true;
            }
        }

        return isOurPort && target.HostAddress is { } address && IsOurAddress(
            address.IsIPv4MappedToIPv6 ? address.MapToIPv4() : address, target.Port, channel, transports);
    }

    private static bool ListensOn(int port, ReadOnlySpan<CoapTransport> transports)
    {
        foreach (CoapTransport transport in transports)
        {
            // By index: the enumerator of an interface is an object, and this runs for each request.
            IReadOnlyList<CoapAddress> addresses = transport.LocalAddresses;
            for (int i = 0; i < addresses.Count; i++)
            {
                if (addresses[i].Port == port)
                {
                    return true;
                }
            }
        }

        return false;
    }

    private static bool IsOurAddress(IPAddress address, int port, CoapChannel channel, ReadOnlySpan<CoapTransport> transports)
    {
        if (CoapAddress.Of(address, channel.Local.Port) == channel.Local)
        {
            return true;
        }

        bool isForAny = false;
        CoapAddress wanted = CoapAddress.Of(address, (ushort)port);
        foreach (CoapTransport transport in transports)
        {
            IReadOnlyList<CoapAddress> addresses = transport.LocalAddresses;
            for (int i = 0; i < addresses.Count; i++)
            {
                CoapAddress local = addresses[i];
                if (local == wanted)
                {
                    return true;
                }

                // A socket for IPv6 may be one for both families.
                isForAny |= local.Port == port && local.IsAny && (!local.IsIPv4 || wanted.IsIPv4);
            }
        }

        return isForAny && HostAddressTable.Default.Contains(address);
    }

    private static (string Host, int? Port) Read(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (!CoapUri.TryParse($"coap://{name}", out CoapUri? uri) || uri.PathSegments.Count > 0 || uri.QueryArguments.Count > 0)
        {
            throw new ArgumentException(
                $"'{name}' is not a host with an optional port. Write it as in a URI, such as gateway.example.com or [2001:db8::1]:5683.",
                nameof(name));
        }

        bool hasPort = !uri.IsDefaultPort || name.EndsWith(uri.Port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        return (uri.Host, hasPort && name.LastIndexOf(':') > name.LastIndexOf(']') ? uri.Port : null);
    }
}
