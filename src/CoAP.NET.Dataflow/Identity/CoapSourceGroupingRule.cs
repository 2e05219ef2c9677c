using System.Net;

namespace CoAP.NET;

/// <summary>Maps each peer to its source (<see cref="CoapQuotaSource"/>). Immutable, thread-safe.</summary>
/// <remarks>
/// An endpoint has one rule for all its transports (<see cref="ICoapTransportContext.Sources"/>). A transport that limits something uses it
/// to give each source a share.
/// </remarks>
public sealed class CoapSourceGroupingRule
{
    private const int AddressBits = 128;
    private const int IPv4Bits = 32;

    // IPv6-only servers see IPv4 clients under this prefix (RFC 6052 section 2.1).
    private const ulong TranslatedPrefix = 0x0064_ff9b_0000_0000;

    private readonly TrustedPrefix[] _trusted;
    private readonly int _prefixLength;
    private readonly ulong _mask;

    /// <summary>Creates a rule.</summary>
    /// <param name="prefixLength">
    /// The number of significant bits of an IPv6 address, 32 to 64; see <see cref="CoapPeerStateLimits.SourcePrefixLength"/>.
    /// </param>
    /// <param name="trusted">
    /// The networks in which each address is a source of its own; see <see cref="CoapPeerStateLimits.TrustedPrefixes"/>.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="prefixLength"/> is below 32 or above 64.</exception>
    internal CoapSourceGroupingRule(int prefixLength, IEnumerable<IPNetwork> trusted)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(prefixLength, 32);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(prefixLength, 64);
        ArgumentNullException.ThrowIfNull(trusted);
        _trusted = [.. trusted.Select(static network => new TrustedPrefix(network))];
        _prefixLength = prefixLength;
        _mask = ulong.MaxValue << (64 - prefixLength);
    }

    /// <summary>The rule of an endpoint with default limits and no trusted networks.</summary>
    internal static CoapSourceGroupingRule Default { get; } = new(CoapPeerStateLimits.DefaultSourcePrefixLength, []);

    /// <summary>Returns the source of a peer: its identity if it has proven one, otherwise its address.</summary>
    /// <param name="address">The peer's address.</param>
    /// <param name="id">The ID of the peer's identity (<see cref="ICoapPeerIdentity.Id"/>); null for none.</param>
    /// <returns>The source.</returns>
    public CoapQuotaSource Of(in CoapAddress address, CoapPeerId? id = null)
    {
        if (address.IsIPv4)
        {
            return new CoapQuotaSource(address with { Port = 0, ScopeId = 0 }, IPv4Bits, id);
        }

        // All neighbours on a link share the prefix.
        return address.High >> 54 == 0xfe80 >> 6 || IsTrusted(address) ? new CoapQuotaSource(address with { Port = 0 }, AddressBits, id)
            : address.High == TranslatedPrefix && address.Low >> IPv4Bits == 0
            ? new CoapQuotaSource(CoapAddress.FromIPv4((uint)address.Low, 0), IPv4Bits, id)
            : new CoapQuotaSource(new CoapAddress(address.High & _mask, 0, 0, 0), _prefixLength, id);
    }

    /// <summary>Whether an address is in a network without forged addresses (<see cref="CoapPeerStateLimits.TrustedPrefixes"/>).</summary>
    /// <returns>True for an address in a trusted network.</returns>
    internal bool IsTrusted(in CoapAddress address)
    {
        foreach (TrustedPrefix prefix in _trusted)
        {
            if (prefix.Contains(address))
            {
                return true;
            }
        }

        return false;
    }
}
