using CoAP.NET.Transports;

namespace CoAP.NET.Channels;

/// <summary>A keyed hash of addresses, so that nobody can choose addresses that fall into one shard or one place of a table.</summary>
internal sealed class AddressHash
{
    private readonly ulong _key0;
    private readonly ulong _key1;
    private readonly ulong _key2;

    public AddressHash(CoapRandomSource random)
    {
        _key0 = random.NextUInt64() | 1;
        _key1 = random.NextUInt64() | 1;
        _key2 = random.NextUInt64() | 1;
    }

    public ulong Of(in CoapAddress address)
    {
        ulong first = Mix(address.High ^ _key0, address.Low ^ _key1);
        return Mix(first ^ _key2, ((ulong)address.ScopeId << 16 | address.Port) + _key1);
    }

    private static ulong Mix(ulong a, ulong b)
    {
        ulong high = Math.BigMul(a, b, out ulong low);
        return high ^ low;
    }
}
