namespace CoAP.NET.Messaging;

/// <summary>
/// Continues the Message IDs of forgotten peers: one counter for each of 65,536 hashes of addresses. Addresses with the same hash share the
/// counter, which only advances, so none begins within a range that was used before.
/// </summary>
internal sealed class ForgottenPeerMessageIds
{
    private readonly MessageIdScrambler _starts;
    private readonly CoapAddressHash _hash;
    private ushort[]? _advances; // created when the first peer is forgotten

    public ForgottenPeerMessageIds(CoapRandomSource random)
    {
        _starts = new MessageIdScrambler(random);
        _hash = new CoapAddressHash(random);
    }

    /// <summary>Returns the initial counter of a peer's Message IDs.</summary>
    public ushort StartOf(in CoapAddress address)
    {
        ushort hash = HashOf(address);
        return (ushort)(_starts[hash] + (_advances is null ? 0 : _advances[hash]));
    }

    /// <summary>Stores the counter of a forgotten peer.</summary>
    public void Remember(in CoapAddress address, ushort next)
    {
        ushort hash = HashOf(address);
        _advances ??= new ushort[1 << 16];
        ushort advance = (ushort)(next - _starts[hash]);
        if ((short)(advance - _advances[hash]) > 0)
        {
            _advances[hash] = advance;
        }
    }

    private ushort HashOf(in CoapAddress address) => (ushort)_hash.Of(address);
}
