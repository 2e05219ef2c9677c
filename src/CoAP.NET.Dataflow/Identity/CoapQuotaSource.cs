using System.Net;

namespace CoAP.NET;

/// <summary>
/// Identifies the origin of peers that share limits, such as memory for bodies, connections, handshakes or observers. Each limit that
/// strangers could fill has a share for each source: at most twice the square of the free part, which is half of everything while half is
/// free, and a fiftieth while a tenth is free. Where something can be evicted, the source that holds the most loses it. A source is
/// <list type="bullet">
/// <item><description>the identity of a peer that has proven it (<see cref="CoapPeer.Id"/>), over any number of connections, for
/// limits that apply after that proof;</description></item>
/// <item><description>otherwise an IPv4 address, with any port, including one that a translator maps behind <c>64:ff9b::/96</c> (RFC
/// 6052);</description></item>
/// <item><description>otherwise the first <see cref="CoapPeerStateLimits.SourcePrefixLength"/> bits of an IPv6 address, 56 by default: the
/// size that a provider assigns to one customer, who can use any address in it;</description></item>
/// <item><description>in <see cref="CoapPeerStateLimits.TrustedPrefixes"/>, and for link-local addresses, the whole address, with any
/// port.</description></item>
/// </list>
/// Two values are equal if they mean the same source. Custom limits may use it too: <see cref="CoapPeer.Source"/>.
/// </summary>
public readonly struct CoapQuotaSource : IEquatable<CoapQuotaSource>
{
    private readonly CoapAddress _network;

    internal CoapQuotaSource(in CoapAddress network, int prefixLength, CoapPeerId? identity)
    {
        _network = network;
        PrefixLength = prefixLength;
        Identity = identity;
    }

    /// <summary>The ID of the peer (<see cref="CoapPeer.Id"/>); null if the address identifies it.</summary>
    public CoapPeerId? Identity { get; }

    /// <summary>The address without port, with zeros after the first significant bits.</summary>
    /// <remarks>For a source with an <see cref="Identity"/>, the address that it was seen at.</remarks>
    public IPAddress Address => _network.ToIPAddress();

    /// <summary>The number of bits of <see cref="Address"/> that count: 32 for IPv4, 32 to 64 or 128 for IPv6.</summary>
    internal int PrefixLength { get; }

    /// <summary>Returns whether two values are the same source.</summary>
    /// <param name="left">The first source.</param>
    /// <param name="right">The second source.</param>
    public static bool operator ==(CoapQuotaSource left, CoapQuotaSource right) => left.Equals(right);

    /// <summary>Returns whether two values are different sources.</summary>
    /// <param name="left">The first source.</param>
    /// <param name="right">The second source.</param>
    public static bool operator !=(CoapQuotaSource left, CoapQuotaSource right) => !left.Equals(right);

    /// <summary>Returns whether it is the same source: the same identity, or without one the same address and prefix length.</summary>
    /// <param name="other">The other source.</param>
    /// <returns>Whether they are equal.</returns>
    public bool Equals(CoapQuotaSource other) =>
        Identity is null
            ? other.Identity is null && PrefixLength == other.PrefixLength && _network == other._network
            : Identity.Equals(other.Identity);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CoapQuotaSource other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => Identity?.GetHashCode() ?? HashCode.Combine(_network.High, _network.Low, _network.ScopeId);

    /// <summary>
    /// Returns the identity in words, or the address, for an IPv6 network with its prefix length: <c>192.0.2.1</c>,
    /// <c>2001:db8:0:100::/56</c>.
    /// </summary>
    /// <returns>The text.</returns>
    public override string ToString() =>
        Identity?.ToString() ?? (PrefixLength == 128 || _network.IsIPv4 ? Address.ToString() : $"{Address}/{PrefixLength}");

    /// <summary>Returns a keyed hash of the address part, for tables in which attackers must not be able to choose a slot.</summary>
    internal ulong HashBy(CoapAddressHash hash) => hash.Of(_network);
}
