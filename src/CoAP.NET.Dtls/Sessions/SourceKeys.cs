using CoAP.NET.Channels;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Numbers that stand for the sources of peers: keyed hashes, so that nobody can choose addresses that meet those of another.</summary>
/// <param name="random">Where the key comes from.</param>
internal sealed class SourceKeys(CoapRandomSource random)
{
    // Whoever has an IPv6 network of 56 bits, as many customers do, has 256 of 64 bits.
    private const ulong WideMask = ~0xFFUL;

    private readonly AddressHash _hash = new(random);

    /// <summary>The source of an address among those that share something: an IPv4 address, an IPv6 network of 56 bits, or a link-local address.</summary>
    /// <param name="address">The address.</param>
    public uint WideOf(in CoapAddress address)
    {
        CoapAddress source = SourceBudgets.SourceOf(address);
        return (uint)_hash.Of(source is { IsIPv4: false, Low: 0 } ? source with { High = source.High & WideMask } : source);
    }

    /// <summary>The narrower source by which each has its bound: an IPv4 address, an IPv6 network of 64 bits, or a link-local address.</summary>
    /// <param name="address">The address.</param>
    public ulong NarrowOf(in CoapAddress address) => _hash.Of(SourceBudgets.SourceOf(address));
}
