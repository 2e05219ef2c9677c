namespace CoAP.NET.Identity;

/// <summary>A keyed hash of addresses. Immutable, thread-safe.</summary>
/// <remarks>
/// Tables by address that strangers fill need a keyed hash. Otherwise an attacker could choose addresses that collide.
/// <c>GetHashCode</c> of a <see cref="CoapAddress"/> is the same in all tables of a process.
/// </remarks>
internal sealed class CoapAddressHash
{
    private readonly ulong _key0;
    private readonly ulong _key1;
    private readonly ulong _key2;

    public CoapAddressHash(CoapRandomSource random)
    {
        ArgumentNullException.ThrowIfNull(random);
        _key0 = random.NextUInt64() | 1;
        _key1 = random.NextUInt64() | 1;
        _key2 = random.NextUInt64() | 1;
    }

    /// <summary>Hashes an address with its port and scope.</summary>
    /// <returns>The hash. All of its bits are usable.</returns>
    public ulong Of(in CoapAddress address)
    {
        ulong first = Mix(address.High ^ _key0, address.Low ^ _key1);
        return Mix(first ^ _key2, ((ulong)address.ScopeId << 16 | address.Port) + _key1);
    }

    /// <summary>Hashes the address part of a source, so two identities at one address have the same hash.</summary>
    /// <returns>The hash. All of its bits are usable.</returns>
    public ulong Of(in CoapQuotaSource source) => source.HashBy(this);

    /// <summary>Hashes a path: a remote address together with the local address.</summary>
    /// <returns>The hash; never 0.</returns>
    public ulong Of(in CoapAddress remote, in CoapAddress local) => Of(Of(remote), local);

    /// <summary>Hashes a path from an already hashed peer address.</summary>
    internal static ulong Of(ulong peer, in CoapAddress local) =>
        Mix(peer ^ local.High, (peer >> 32 | peer << 32) ^ local.Low ^ ((ulong)local.Port << 32)) | 1;

    private static ulong Mix(ulong a, ulong b)
    {
        ulong high = Math.BigMul(a, b, out ulong low);
        return high ^ low;
    }
}
