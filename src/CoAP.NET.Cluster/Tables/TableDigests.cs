using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CoAP.NET.Cluster;

/// <summary>
/// Digests of the entries of a slot, as 256 numbers: keys distribute the entries over 256 parts, and two nodes have the same entries in a
/// part if the numbers are equal. The digests are keyed, so attackers cannot create different entries with the same number.
/// </summary>
internal sealed class TableDigests
{
    /// <summary>The number of parts.</summary>
    public const int Count = 256;

    /// <summary>The length in bytes.</summary>
    public const int Length = Count * sizeof(ulong);

    private const uint FnvBasis = 2_166_136_261;
    private const uint FnvPrime = 16_777_619;

    private readonly ulong[] _parts = new ulong[Count];
    private readonly CoapFence _fence;
    private readonly long _number;

    private TableDigests(ClusterTableSlot slot, ReadOnlySpan<byte> secret)
    {
        (_fence, _number) = (slot.Fence, slot.Number);
        TableEntries entries = slot.Entries;
        byte[] buffer = ArrayPool<byte>.Shared.Rent(secret.Length + sizeof(ushort) + 1 + CoapTableKey.MaxLength + CoapTable.MaxValueLength);
        secret.CopyTo(buffer);
        Span<byte> rest = buffer.AsSpan(secret.Length);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        for (int index = entries.Oldest; index != TableEntries.None; index = entries[index].Newer)
        {
            ref TableEntry entry = ref entries[index];
            BinaryPrimitives.WriteUInt16BigEndian(rest, entry.Version);
            rest[sizeof(ushort)] = entry.KeyLength;
            entry.Data.CopyTo(rest[(sizeof(ushort) + 1)..]);
            SHA256.HashData(buffer.AsSpan(0, secret.Length + sizeof(ushort) + 1 + entry.Data!.Length), hash);
            _parts[PartOf(entry.Key)] += BinaryPrimitives.ReadUInt64BigEndian(hash);
        }

        ArrayPool<byte>.Shared.Return(buffer, clearArray: true);
    }

    /// <summary>Returns the digests of a slot, cached until it changes. The caller holds its gate.</summary>
    public static TableDigests Of(ClusterTableSlot slot, ReadOnlySpan<byte> secret)
    {
        if (slot.Digests is not { } digests || digests._number != slot.Number || digests._fence != slot.Fence || !slot.Fence.IsSet)
        {
            slot.Digests = digests = new TableDigests(slot, secret);
        }

        return digests;
    }

    /// <summary>Returns the part of an entry.</summary>
    public static byte PartOf(ReadOnlySpan<byte> key)
    {
        uint hash = FnvBasis;
        foreach (byte part in key)
        {
            hash = unchecked((hash ^ part) * FnvPrime);
        }

        return (byte)(hash ^ (hash >> 8) ^ (hash >> 16) ^ (hash >> 24));
    }

    /// <summary>Writes the digests.</summary>
    public void Write(Span<byte> bytes)
    {
        for (int i = 0; i < Count; i++)
        {
            BinaryPrimitives.WriteUInt64BigEndian(bytes[(i * sizeof(ulong))..], _parts[i]);
        }
    }

    /// <summary>Returns the parts that differ from written digests.</summary>
    public bool[] DifferFrom(ReadOnlySpan<byte> bytes)
    {
        bool[] differ = new bool[Count];
        for (int i = 0; i < Count; i++)
        {
            differ[i] = BinaryPrimitives.ReadUInt64BigEndian(bytes[(i * sizeof(ulong))..]) != _parts[i];
        }

        return differ;
    }
}
