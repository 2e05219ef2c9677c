using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Numbers that stand for the sources of peers (<see cref="CoapSource"/>): keyed hashes, so that nobody can choose addresses that meet
/// those of another.
/// </summary>
/// <param name="random">Where the key comes from.</param>
internal sealed class SourceKeys(CoapRandomSource random)
{
    private readonly CoapAddressHash _hash = new(random);

    /// <summary>Which peers count as one.</summary>
    public CoapSourceRule Rule { get; set; } = CoapSourceRule.Default;

    /// <summary>The source of whoever is at an address.</summary>
    /// <param name="address">The address.</param>
    public uint Of(in CoapAddress address) => (uint)_hash.Of(Rule.Of(address));
}
