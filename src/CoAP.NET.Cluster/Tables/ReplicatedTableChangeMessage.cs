using System.Buffers;
using System.Buffers.Binary;
using CoAP.NET.Cluster.Maps;

namespace CoAP.NET.Cluster.Tables;

/// <summary>
/// Tells other nodes which entries of a slot its owner has changed. They read these entries from the store, or the whole slot if they
/// missed earlier changes.
/// </summary>
/// <param name="Slot">The slot.</param>
/// <param name="Fence">The fence of the owner, who counts its changes from 1.</param>
/// <param name="Before">The number of the change before these.</param>
/// <param name="Last">The number of the last one of these.</param>
/// <param name="Keys">The keys of the entries.</param>
internal readonly record struct ReplicatedTableChangeMessage(
    CoapSlot Slot, CoapFencingToken Fence, long Before, long Last, IReadOnlyList<CoapTableKey> Keys)
{
    /// <summary>The size from which on no further change is added to a post.</summary>
    public const int Size = 32 * 1024;

    private const int HeaderLength = 1 + (3 * sizeof(long)) + sizeof(ushort);

    /// <summary>Writes it. Numbers are in network byte order.</summary>
    public void Write(IBufferWriter<byte> to)
    {
        Span<byte> header = to.GetSpan(HeaderLength);
        header[0] = Slot.Number;
        BinaryPrimitives.WriteInt64BigEndian(header[1..], Fence.Value);
        BinaryPrimitives.WriteInt64BigEndian(header[(1 + sizeof(long))..], Before);
        BinaryPrimitives.WriteInt64BigEndian(header[(1 + (2 * sizeof(long)))..], Last);
        BinaryPrimitives.WriteUInt16BigEndian(header[(1 + (3 * sizeof(long)))..], (ushort)Keys.Count);
        to.Advance(HeaderLength);
        foreach (CoapTableKey key in Keys)
        {
            Span<byte> bytes = to.GetSpan(1 + key.Bytes.Length);
            bytes[0] = (byte)key.Bytes.Length;
            key.Bytes.CopyTo(bytes[1..]);
            to.Advance(1 + key.Bytes.Length);
        }
    }

    /// <summary>Reads one; false at the end, and for invalid bytes.</summary>
    public static bool TryRead(ref ReadOnlySpan<byte> from, out ReplicatedTableChangeMessage change)
    {
        change = default;
        if (from.Length < HeaderLength)
        {
            return false;
        }

        ReadOnlySpan<byte> header = from[..HeaderLength];
        from = from[HeaderLength..];
        CoapTableKey[] keys = new CoapTableKey[BinaryPrimitives.ReadUInt16BigEndian(header[(1 + (3 * sizeof(long)))..])];
        for (int i = 0; i < keys.Length; i++)
        {
            if (from.IsEmpty || from[0] is 0 or > CoapTableKey.MaxLength || from.Length <= from[0])
            {
                return false;
            }

            keys[i] = new CoapTableKey(from.Slice(1, from[0]));
            from = from[(1 + from[0])..];
        }

        change = new ReplicatedTableChangeMessage(
            new CoapSlot(header[0]), new CoapFencingToken(BinaryPrimitives.ReadInt64BigEndian(header[1..])),
            BinaryPrimitives.ReadInt64BigEndian(header[(1 + sizeof(long))..]),
            BinaryPrimitives.ReadInt64BigEndian(header[(1 + (2 * sizeof(long)))..]), keys);
        return true;
    }
}
