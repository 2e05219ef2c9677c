namespace CoAP.NET.Transports;

/// <summary>
/// A keyed hash of addresses. A table by address that strangers fill needs one, so that nobody can choose addresses that fall into one
/// place of it; <see cref="CoapAddress.GetHashCode"/> is the same in all tables of a process. Immutable, thread-safe.
/// </summary>
public sealed class CoapAddressHash
{
    private readonly ulong _key0;
    private readonly ulong _key1;
    private readonly ulong _key2;

    /// <summary>Makes a hash with a new key.</summary>
    /// <param name="random">Where the key comes from (<see cref="ICoapTransportContext.Random"/>).</param>
    public CoapAddressHash(CoapRandomSource random)
    {
        ArgumentNullException.ThrowIfNull(random);
        _key0 = random.NextUInt64() | 1;
        _key1 = random.NextUInt64() | 1;
        _key2 = random.NextUInt64() | 1;
    }

    /// <summary>The hash of an address with its port and scope.</summary>
    /// <param name="address">The address.</param>
    /// <returns>The hash; all of its bits may be used.</returns>
    public ulong Of(in CoapAddress address)
    {
        ulong first = Mix(address.High ^ _key0, address.Low ^ _key1);
        return Mix(first ^ _key2, ((ulong)address.ScopeId << 16 | address.Port) + _key1);
    }

    /// <summary>The hash of a source: of its address part, so that two identities at one address have the same.</summary>
    /// <param name="source">The source.</param>
    /// <returns>The hash; all of its bits may be used.</returns>
    public ulong Of(in CoapSource source) => source.HashBy(this);

    /// <summary>The hash of a path: a peer as it is known at one address of this host.</summary>
    /// <param name="remote">The peer's address.</param>
    /// <param name="local">Our address.</param>
    /// <returns>The hash; never 0.</returns>
    public ulong Of(in CoapAddress remote, in CoapAddress local) => Of(Of(remote), local);

    /// <summary>The hash of a path, where that of the peer's address is known already.</summary>
    /// <param name="peer">The hash of the peer's address.</param>
    /// <param name="local">Our address.</param>
    internal static ulong Of(ulong peer, in CoapAddress local) =>
        Mix(peer ^ local.High, (peer >> 32 | peer << 32) ^ local.Low ^ ((ulong)local.Port << 32)) | 1;

    private static ulong Mix(ulong a, ulong b)
    {
        ulong high = Math.BigMul(a, b, out ulong low);
        return high ^ low;
    }
}
