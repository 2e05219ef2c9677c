using System.Net;

namespace CoAP.NET.Transports;

/// <summary>Says of each peer which source it is of. One for an endpoint, for all its transports. Thread-safe; cheap, but nothing that a request which holds nothing has to pay for.</summary>
internal sealed class SourceRule
{
    private const int AddressBits = 128;
    private const int IPv4Bits = 32;

    // Where IPv4 clients appear to servers that have IPv6 only (RFC 6052 section 2.1).
    private const ulong TranslatedPrefix = 0x0064_ff9b_0000_0000;

    private readonly TrustedPrefix[] _trusted;
    private readonly int _prefixLength;
    private readonly ulong _mask;

    /// <param name="prefixLength">See <see cref="CoapLimits.SourcePrefixLength"/>.</param>
    /// <param name="trusted">See <see cref="CoapEndpointOptions.TrustedPrefixes"/>.</param>
    public SourceRule(int prefixLength, IEnumerable<IPNetwork> trusted)
    {
        _trusted = [.. trusted.Select(static network => new TrustedPrefix(network))];
        _prefixLength = prefixLength;
        _mask = ulong.MaxValue << (64 - prefixLength);
    }

    /// <summary>That of default options without trusted networks.</summary>
    public static SourceRule Default { get; } = new(CoapLimits.DefaultSourcePrefixLength, []);

    /// <summary>The source of whoever is at an address, and has proven nothing else.</summary>
    public CoapSource Of(in CoapAddress address) => Of(address, identity: null);

    /// <summary>The source of a peer: its identity where it has proven one, otherwise where it is.</summary>
    /// <param name="address">Where it is.</param>
    /// <param name="identity">Its identity, as its transport has it.</param>
    public CoapSource Of(in CoapAddress address, object? identity)
    {
        object? key = PeerIdentity.KeyOf(identity);
        if (address.IsIPv4)
        {
            return new CoapSource(address with { Port = 0, ScopeId = 0 }, IPv4Bits, key);
        }

        // On a link all neighbours share the prefix.
        return address.High >> 54 == 0xfe80 >> 6 || IsTrusted(address) ? new CoapSource(address with { Port = 0 }, AddressBits, key)
            : address.High == TranslatedPrefix && address.Low >> IPv4Bits == 0 ? new CoapSource(CoapAddress.FromIPv4((uint)address.Low, 0), IPv4Bits, key)
            : new CoapSource(new CoapAddress(address.High & _mask, 0, 0, 0), _prefixLength, key);
    }

    /// <summary>Whether an address is of a network in which nobody forges addresses.</summary>
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
