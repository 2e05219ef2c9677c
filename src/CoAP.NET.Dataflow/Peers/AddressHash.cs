using CoAP.NET.Transports;

namespace CoAP.NET.Peers;

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

    /// <summary>The hash of a peer as it is known at one address of ours only.</summary>
    /// <param name="peer">The hash of the peer's address.</param>
    /// <param name="local">Our address.</param>
    public static ulong Of(ulong peer, in CoapAddress local) => Mix(peer ^ local.High, (peer >> 32 | peer << 32) ^ local.Low ^ ((ulong)local.Port << 32)) | 1;

    private static ulong Mix(ulong a, ulong b)
    {
        ulong high = Math.BigMul(a, b, out ulong low);
        return high ^ low;
    }
}
