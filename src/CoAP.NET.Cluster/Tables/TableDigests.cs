using System.Buffers;
using System.Buffers.Binary;
using System.Security.Cryptography;

namespace CoAP.NET.Cluster;

/// <summary>
/// What the entries of a slot are, as 256 numbers: the entries are spread over as many parts by their keys, and two nodes have the same
/// entries in a part when the numbers are equal. They are keyed, so nobody can make different entries with the same number.
/// </summary>
internal sealed class TableDigests
{
    /// <summary>How many parts there are.</summary>
    public const int Count = 256;

    /// <summary>How many bytes they take.</summary>
    public const int Length = Count * sizeof(ulong);

    private const uint FnvBasis = 2_166_136_261;
    private const uint FnvPrime = 16_777_619;

    private readonly ulong[] _parts = new ulong[Count];
    private readonly CoapFence _fence;
    private readonly long _number;

    private TableDigests(TableSlot slot, ReadOnlySpan<byte> secret)
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

    /// <summary>The digests of a slot, whose gate the caller holds. Made again only when it has changed.</summary>
    public static TableDigests Of(TableSlot slot, ReadOnlySpan<byte> secret)
    {
        if (slot.Digests is not { } digests || digests._number != slot.Number || digests._fence != slot.Fence || !slot.Fence.IsSet)
        {
            slot.Digests = digests = new TableDigests(slot, secret);
        }

        return digests;
    }

    /// <summary>In which part an entry is.</summary>
    public static byte PartOf(ReadOnlySpan<byte> key)
    {
        uint hash = FnvBasis;
        foreach (byte part in key)
        {
            hash = unchecked((hash ^ part) * FnvPrime);
        }

        return (byte)(hash ^ (hash >> 8) ^ (hash >> 16) ^ (hash >> 24));
    }

    /// <summary>Writes them.</summary>
    public void Write(Span<byte> bytes)
    {
        for (int i = 0; i < Count; i++)
        {
            BinaryPrimitives.WriteUInt64BigEndian(bytes[(i * sizeof(ulong))..], _parts[i]);
        }
    }

    /// <summary>Which parts differ from those that were written.</summary>
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
