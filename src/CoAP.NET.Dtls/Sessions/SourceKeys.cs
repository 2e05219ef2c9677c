using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Maps the sources of peers (<see cref="CoapSource"/>) to numbers: keyed hashes, so that an attacker cannot choose addresses that collide
/// with those of another client.
/// </summary>
/// <param name="random">The source of the key.</param>
internal sealed class SourceKeys(CoapRandomSource random)
{
    private readonly CoapAddressHash _hash = new(random);

    /// <summary>The rule that groups peers into sources.</summary>
    public CoapSourceRule Rule { get; set; } = CoapSourceRule.Default;

    /// <summary>Returns the source of an address.</summary>
    /// <param name="address">The address.</param>
    public uint Of(in CoapAddress address) => (uint)_hash.Of(Rule.Of(address));
}
