using System.Globalization;
using System.Net;
using CoAP.NET.Mesh;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// What a proxy itself is called: names that are given here, and the addresses and ports that its transports are bound to. A request that
/// names one of them is for the server that the proxy runs in and is not sent on, so that nobody makes it talk to itself (RFC 7252 sections
/// 5.7.2 and 5.10.2). Immutable.
/// </summary>
public sealed class CoapProxyNames
{
    private readonly (string Host, int? Port)[] _names;

    /// <summary>Makes the names.</summary>
    /// <param name="names">
    /// Host names and addresses, each with a port or without: <c>gateway.example.com</c>, <c>192.0.2.1:5690</c>, <c>[2001:db8::1]</c>. One
    /// without a port stands for the default port of every scheme and for all ports that the server listens on.
    /// </param>
    /// <exception cref="ArgumentException">One of them is no host.</exception>
    public CoapProxyNames(params IEnumerable<string> names)
    {
        ArgumentNullException.ThrowIfNull(names);
        _names = [.. names.Select(Read)];
    }

    /// <summary>Whether a URI names the server that a request came to, as far as the transport can tell by which it came.</summary>
    /// <param name="target">The URI that a proxy is asked for.</param>
    /// <param name="channel">Who asks: by which transport, and to which of the addresses.</param>
    /// <returns>Whether it does.</returns>
    public bool Contains(CoapUri target, CoapChannel channel)
    {
        ArgumentNullException.ThrowIfNull(target);
        ArgumentNullException.ThrowIfNull(channel);
        return Contains(target, channel, [channel.Transport]);
    }

    /// <summary>Whether a URI names the server that a request came to, by any of its transports.</summary>
    /// <param name="target">The URI that a proxy is asked for.</param>
    /// <param name="channel">Who asks: to which of the addresses.</param>
    /// <param name="transports">What the server listens with.</param>
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
            // By index: the enumerator of an interface is an object, and this is asked for each request.
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

        return isForAny && HostAddresses.Contains(address);
    }

    private static (string Host, int? Port) Read(string name)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (!CoapUri.TryParse($"coap://{name}", out CoapUri? uri) || uri.PathSegments.Count > 0 || uri.QueryArguments.Count > 0)
        {
            throw new ArgumentException(
                $"'{name}' is no host with or without a port. Write it as in a URI, such as gateway.example.com or [2001:db8::1]:5683.",
                nameof(name));
        }

        bool hasPort = !uri.IsDefaultPort || name.EndsWith(uri.Port.ToString(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        return (uri.Host, hasPort && name.LastIndexOf(':') > name.LastIndexOf(']') ? uri.Port : null);
    }
}
