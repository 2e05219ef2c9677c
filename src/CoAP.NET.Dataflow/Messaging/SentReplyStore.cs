using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;

namespace CoAP.NET.Messaging;

/// <summary>
/// Finished messages and their replies, in order of completion: bytes appended to segments, which are dropped whole from the other end. A
/// place consists of log, segment and offset and stays unique for a long time, so a table may keep places of dropped segments.
/// </summary>
internal sealed class SentReplyStore
{
    /// <summary>The largest segment for more than one entry: the range of the offset in a place.</summary>
    public const int MaxSegment = OffsetUnit << SequenceShift;

    private const int OffsetUnit = 8;
    private const int SequenceShift = 13;
    private const int NumberShift = 35;
    private const uint SequenceMask = (1u << (NumberShift - SequenceShift)) - 1;

    private readonly ulong _number;
    private Segment[] _ring = new Segment[8];
    private int _first;
    private int _count;
    private uint _firstSequence;

    /// <param name="number">1 to 31.</param>
    public SentReplyStore(int number) => _number = (ulong)number << NumberShift;

    /// <summary>The memory of its segments in bytes.</summary>
    public long Bytes { get; private set; }

    /// <summary>The number of entries in its segments, including unreferenced ones.</summary>
    public int Entries { get; private set; }

    public bool IsEmpty => _count == 0;

    public Segment Head => _ring[_first];

    public static int NumberOf(ulong place) => (int)(place >> NumberShift);

    /// <summary>Whether an entry fits without a new segment.</summary>
    public bool Fits(int size) => _count > 0 && Tail.Buffer.Length - Tail.Used >= size;

    /// <summary>Whether the segment of a place still exists.</summary>
    public bool Contains(ulong place) => IndexOf(place) < (uint)_count;

    public bool TryGet(ulong place, out StoredReplyHeader header, out ReadOnlySpan<byte> reply)
    {
        uint index = IndexOf(place);
        if (index >= (uint)_count)
        {
            header = default;
            reply = default;
            return false;
        }

        int offset = (int)(place & ((1 << SequenceShift) - 1)) * OffsetUnit;
        ReadOnlySpan<byte> bytes = At((int)index).Buffer.AsSpan(offset);
        header = MemoryMarshal.Read<StoredReplyHeader>(bytes);
        reply = bytes.Slice(StoredReplyHeader.Size, header.Length);
        return true;
    }

    /// <summary>Appends an entry that fits.</summary>
    /// <returns>The place of the entry.</returns>
    public ulong Append(in StoredReplyHeader header, ReadOnlySpan<byte> reply)
    {
        Segment tail = Tail;
        int offset = tail.Used;
        Span<byte> bytes = tail.Buffer.AsSpan(offset);
        MemoryMarshal.Write(bytes, header);
        reply.CopyTo(bytes[StoredReplyHeader.Size..]);
        tail.LastExpiry = tail.Entries == 0 ? header.Expiry : StoredReplyHeader.Clock.Later(tail.LastExpiry, header.Expiry);
        tail.Used = offset + StoredReplyHeader.EntrySize(reply.Length);
        tail.Entries++;
        Entries++;
        return _number | ((ulong)((_firstSequence + (uint)_count - 1) & SequenceMask) << SequenceShift) | (uint)(offset / OffsetUnit);
    }

    /// <summary>Appends an empty segment.</summary>
    public void AddSegment(byte[] buffer)
    {
        if (_count == _ring.Length)
        {
            Segment[] ring = new Segment[_count * 2];
            for (int i = 0; i < _count; i++)
            {
                ring[i] = At(i);
            }

            _ring = ring;
            _first = 0;
        }

        _ring[(_first + _count) & (_ring.Length - 1)] = new Segment(buffer);
        _count++;
        Bytes += buffer.Length;
    }

    /// <summary>Drops the oldest segment.</summary>
    /// <returns>The buffer of the segment.</returns>
    public byte[] DropHead()
    {
        Segment head = Head;
        _ring[_first] = default!;
        _first = (_first + 1) & (_ring.Length - 1);
        _firstSequence = (_firstSequence + 1) & SequenceMask;
        _count--;
        Bytes -= head.Buffer.Length;
        Entries -= head.Entries;
        return head.Buffer;
    }

    /// <summary>Reads the next entry of the oldest segment; begin with offset 0.</summary>
    public bool TryReadHead(ref int offset, out StoredReplyHeader header)
    {
        Segment head = Head;
        if (offset >= head.Used)
        {
            header = default;
            return false;
        }

        header = MemoryMarshal.Read<StoredReplyHeader>(head.Buffer.AsSpan(offset));
        offset += StoredReplyHeader.EntrySize(header.Length);
        return true;
    }

    private Segment Tail => At(_count - 1);

    private Segment At(int index) => _ring[(_first + index) & (_ring.Length - 1)];

    private uint IndexOf(ulong place) => ((uint)(place >> SequenceShift) - _firstSequence) & SequenceMask;

    [SuppressMessage("Design", "CA1034", Justification = "Internal; belongs to the log alone.")]
    internal sealed class Segment(byte[] buffer)
    {
        public byte[] Buffer { get; } = buffer;

        public int Used { get; set; }

        public int Entries { get; set; }

        /// <summary>The expiry of its last entry.</summary>
        public uint LastExpiry { get; set; }
    }
}
