using CoAP.NET.Transports;

namespace CoAP.NET.Messaging;

/// <summary>
/// Where the Message IDs of forgotten peers go on: one counter for each of 65,536 hashes of addresses. Addresses that share a hash share
/// the counter, which only moves ahead, so that none begins within a range that was used before.
/// </summary>
internal sealed class GhostCounters
{
    private readonly MessageIdScrambler _starts;
    private readonly ulong _key1;
    private readonly ulong _key2;
    private ushort[]? _advances; // made when the first peer is forgotten

    public GhostCounters(CoapRandomSource random)
    {
        _starts = new MessageIdScrambler(random);
        _key1 = random.NextUInt64();
        _key2 = random.NextUInt64() | 1;
    }

    /// <summary>The counter at which a peer's Message IDs begin.</summary>
    public ushort StartOf(in CoapAddress address)
    {
        ushort hash = HashOf(address);
        return (ushort)(_starts[hash] + (_advances is null ? 0 : _advances[hash]));
    }

    /// <summary>Keeps how far a peer's Message IDs went.</summary>
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

    private ushort HashOf(in CoapAddress address)
    {
        ulong hash = _key1;
        hash = Mix(hash ^ address.High);
        hash = Mix(hash ^ address.Low);
        hash = Mix(hash ^ (((ulong)address.ScopeId << 16) | address.Port));
        return (ushort)(hash >> 48);
    }

    private ulong Mix(ulong value)
    {
        value *= _key2;
        return value ^ (value >> 29);
    }
}
