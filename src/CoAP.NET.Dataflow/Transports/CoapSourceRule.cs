using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// Says of each peer which source it is of (<see cref="CoapSource"/>). An endpoint has one for all its transports
/// (<see cref="ICoapTransportContext.Sources"/>): a transport that limits something gives each source a share by it. Immutable,
/// thread-safe.
/// </summary>
public sealed class CoapSourceRule
{
    private const int AddressBits = 128;
    private const int IPv4Bits = 32;

    // Where IPv4 clients appear to servers that have IPv6 only (RFC 6052 section 2.1).
    private const ulong TranslatedPrefix = 0x0064_ff9b_0000_0000;

    private readonly TrustedPrefix[] _trusted;
    private readonly int _prefixLength;
    private readonly ulong _mask;

    /// <summary>Makes a rule.</summary>
    /// <param name="prefixLength">
    /// How many bits of an IPv6 address count, 32 to 64; see <see cref="CoapLimits.SourcePrefixLength"/>.
    /// </param>
    /// <param name="trusted">
    /// The networks in which each address counts by itself; see <see cref="CoapEndpointOptions.TrustedPrefixes"/>.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">The length is below 32 or above 64.</exception>
    public CoapSourceRule(int prefixLength, IEnumerable<IPNetwork> trusted)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(prefixLength, 32);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(prefixLength, 64);
        ArgumentNullException.ThrowIfNull(trusted);
        _trusted = [.. trusted.Select(static network => new TrustedPrefix(network))];
        _prefixLength = prefixLength;
        _mask = ulong.MaxValue << (64 - prefixLength);
    }

    /// <summary>The rule of an endpoint with default limits and no trusted networks.</summary>
    public static CoapSourceRule Default { get; } = new(CoapLimits.DefaultSourcePrefixLength, []);

    /// <summary>The source of whoever is at an address, and has proven nothing else.</summary>
    /// <param name="address">The address.</param>
    /// <returns>The source.</returns>
    public CoapSource Of(in CoapAddress address) => Of(address, identity: null);

    /// <summary>The source of a peer: its identity where it has proven one, otherwise where it is.</summary>
    /// <param name="address">Where it is.</param>
    /// <param name="identity">Its identity, as its transport has it (<see cref="CoapConnection.Identity"/>); null for none.</param>
    /// <returns>The source.</returns>
    public CoapSource Of(in CoapAddress address, object? identity)
    {
        object? key = PeerIdentity.KeyOf(identity);
        if (address.IsIPv4)
        {
            return new CoapSource(address with { Port = 0, ScopeId = 0 }, IPv4Bits, key);
        }

        // On a link all neighbours share the prefix.
        return address.High >> 54 == 0xfe80 >> 6 || IsTrusted(address) ? new CoapSource(address with { Port = 0 }, AddressBits, key)
            : address.High == TranslatedPrefix && address.Low >> IPv4Bits == 0
            ? new CoapSource(CoapAddress.FromIPv4((uint)address.Low, 0), IPv4Bits, key)
            : new CoapSource(new CoapAddress(address.High & _mask, 0, 0, 0), _prefixLength, key);
    }

    /// <summary>
    /// Whether an address is in a network in which nobody forges addresses (<see cref="CoapEndpointOptions.TrustedPrefixes"/>).
    /// </summary>
    /// <param name="address">The address.</param>
    /// <returns>Whether it is.</returns>
    public bool IsTrusted(in CoapAddress address)
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
