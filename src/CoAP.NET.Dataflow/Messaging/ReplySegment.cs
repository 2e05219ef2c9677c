using System.Runtime.InteropServices;

namespace CoAP.NET.Messaging;

/// <summary>A part of the duplicate memory: finished messages and their replies in order of completion. It is dropped as a whole.</summary>
internal sealed class ReplySegment
{
    /// <summary>The largest segment for more than one entry: the range of the offset in a place.</summary>
    public const int MaxSize = OffsetUnit << OffsetBits;

    private const int OffsetUnit = 8;
    private const int OffsetBits = 13;

    private readonly byte[] _buffer;
    private readonly ulong _number;

    /// <summary>Creates a segment and adds it to those of a shard.</summary>
    public ReplySegment(int size, IndexedPool<ReplySegment> segments)
    {
        _buffer = GC.AllocateUninitializedArray<byte>(size);
        _number = segments.Add(this);
    }

    public int Size => _buffer.Length;

    /// <summary>The bytes of its entries.</summary>
    public int Used { get; private set; }

    /// <summary>The bytes that are left for further entries.</summary>
    public int Free => Size - Used;

    /// <summary>The expiry of its last entry.</summary>
    public uint LastExpiry { get; private set; }

    /// <summary>Reads the entry at a place that <see cref="Append"/> returned.</summary>
    public static StoredReplyHeader Read(IndexedPool<ReplySegment> segments, ulong place, out ReadOnlySpan<byte> reply)
    {
        ReadOnlySpan<byte> bytes = segments[place >> OffsetBits]!._buffer.AsSpan((int)(place & ((1 << OffsetBits) - 1)) * OffsetUnit);
        StoredReplyHeader header = MemoryMarshal.Read<StoredReplyHeader>(bytes);
        reply = bytes.Slice(StoredReplyHeader.Size, header.Length);
        return header;
    }

    /// <summary>Reads the entry at an offset and moves it to the next one; begin with 0.</summary>
    /// <returns>Whether there is one.</returns>
    public bool TryReadNext(ref int offset, out ulong place, out StoredReplyHeader header)
    {
        place = PlaceOf(offset);
        header = offset < Used ? MemoryMarshal.Read<StoredReplyHeader>(_buffer.AsSpan(offset)) : default;
        bool isRead = offset < Used;
        offset += StoredReplyHeader.EntrySize(header.Length);
        return isRead;
    }

    /// <summary>Appends an entry that fits.</summary>
    /// <returns>The place of the entry, for the table; never 0.</returns>
    public ulong Append(in StoredReplyHeader header, ReadOnlySpan<byte> reply)
    {
        int offset = Used;
        Span<byte> bytes = _buffer.AsSpan(offset);
        MemoryMarshal.Write(bytes, header);
        reply.CopyTo(bytes[StoredReplyHeader.Size..]);
        LastExpiry = offset == 0 ? header.Expiry : StoredReplyHeader.Clock.Later(LastExpiry, header.Expiry);
        Used = offset + StoredReplyHeader.EntrySize(reply.Length);
        return PlaceOf(offset);
    }

    /// <summary>Makes it empty, for another use.</summary>
    public void Clear() => Used = 0;

    /// <summary>Removes it from those of the shard.</summary>
    public void RemoveFrom(IndexedPool<ReplySegment> segments) => segments.Remove(_number);

    private ulong PlaceOf(int offset) => (_number << OffsetBits) | (uint)(offset / OffsetUnit);
}
