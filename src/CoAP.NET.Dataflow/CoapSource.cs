using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET;

/// <summary>
/// Who counts as one wherever peers share something, such as memory for bodies, connections, handshakes or observers: each bound that
/// strangers could fill has a share for each source, and when it is full, the source that holds most gives way. A source is
/// <list type="bullet">
/// <item><description>the identity of a peer that has proven who it is (<see cref="CoapPeer.IsKnown"/>), over however many connections, for
/// what counts after that proof;</description></item>
/// <item><description>otherwise an IPv4 address, whatever its ports; also one that a translator put behind <c>64:ff9b::/96</c> (RFC
/// 6052);</description></item>
/// <item><description>otherwise the first <see cref="CoapLimits.SourcePrefixLength"/> bits of an IPv6 address, 56 by default: what a
/// provider gives to one customer, who can take any address in it;</description></item>
/// <item><description>in <see cref="CoapEndpointOptions.TrustedPrefixes"/>, and of link-local addresses, the whole address, whatever its
/// ports.</description></item>
/// </list>
/// Two are equal when they mean the same source. It is what limits of your own count by, too: <see cref="CoapPeer.Source"/>.
/// </summary>
public readonly struct CoapSource : IEquatable<CoapSource>
{
    private readonly CoapAddress _network;

    internal CoapSource(in CoapAddress network, int prefixLength, object? identity)
    {
        _network = network;
        PrefixLength = prefixLength;
        Identity = identity;
    }

    /// <summary>
    /// The identity by which it counts: that of its transport, or a key of value equality made of the user of a web application; null where
    /// the address counts.
    /// </summary>
    public object? Identity { get; }

    /// <summary>
    /// The address without port, with zeros behind the first <see cref="PrefixLength"/> bits. Of a source with an <see cref="Identity"/>:
    /// from where it was heard.
    /// </summary>
    public IPAddress Address => _network.ToIPAddress();

    /// <summary>How many bits of <see cref="Address"/> count: 32 of IPv4, 32 to 64 or 128 of IPv6.</summary>
    public int PrefixLength { get; }

    /// <summary>Whether two are the same source.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other one.</param>
    public static bool operator ==(CoapSource left, CoapSource right) => left.Equals(right);

    /// <summary>Whether two are different sources.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other one.</param>
    public static bool operator !=(CoapSource left, CoapSource right) => !left.Equals(right);

    /// <summary>Whether it is the same source: the same identity, or without one the same address and prefix length.</summary>
    /// <param name="other">The other one.</param>
    /// <returns>Whether it is.</returns>
    public bool Equals(CoapSource other) =>
        Identity is null
            ? other.Identity is null && PrefixLength == other.PrefixLength && _network == other._network
            : Identity.Equals(other.Identity);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CoapSource other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Identity?.GetHashCode() ?? HashCode.Combine(_network.High, _network.Low, _network.ScopeId);

    /// <summary>
    /// The identity in words, or the address, of an IPv6 network with the length of its prefix: <c>192.0.2.1</c>,
    /// <c>2001:db8:0:100::/56</c>.
    /// </summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        Identity?.ToString() ?? (PrefixLength == 128 || _network.IsIPv4 ? Address.ToString() : $"{Address}/{PrefixLength}");

    /// <summary>A keyed hash of the address part, for tables whose places nobody may choose.</summary>
    internal ulong HashBy(CoapAddressHash hash) => hash.Of(_network);
}
