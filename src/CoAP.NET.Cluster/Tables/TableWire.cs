using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Cluster;

/// <summary>
/// The format of table entries in messages between nodes. Numbers are in network byte order. Each request begins with the kind of the
/// table.
/// </summary>
internal static class TableWire
{
    /// <summary>The size from which on no further entry is added to a message.</summary>
    public const int Size = 32 * 1024;

    /// <summary>The length of a position: fence and number.</summary>
    public const int PositionLength = 2 * sizeof(long);

    private const byte Removed = 1;
    private const byte Expired = 2;
    private const byte Durable = 4;
    private const long Endless = -1;

    /// <summary>Writes a position: the owner and the number of its last known change.</summary>
    public static void WritePosition(IBufferWriter<byte> to, CoapFence fence, long number)
    {
        Span<byte> bytes = to.GetSpan(PositionLength);
        BinaryPrimitives.WriteInt64BigEndian(bytes, fence.Value);
        BinaryPrimitives.WriteInt64BigEndian(bytes[sizeof(long)..], number);
        to.Advance(PositionLength);
    }

    /// <summary>Reads a position; false for invalid bytes.</summary>
    public static bool TryReadPosition(ref ReadOnlySpan<byte> from, out CoapFence fence, out long number)
    {
        (fence, number) = (default, 0);
        if (from.Length < PositionLength)
        {
            return false;
        }

        fence = new CoapFence(BinaryPrimitives.ReadInt64BigEndian(from));
        number = BinaryPrimitives.ReadInt64BigEndian(from[sizeof(long)..]);
        from = from[PositionLength..];
        return true;
    }

    /// <summary>Writes one byte.</summary>
    public static void WriteByte(IBufferWriter<byte> to, byte value)
    {
        to.GetSpan(1)[0] = value;
        to.Advance(1);
    }

    /// <summary>Reads one byte; false at the end.</summary>
    public static bool TryReadByte(ref ReadOnlySpan<byte> from, out byte value)
    {
        value = from.IsEmpty ? (byte)0 : from[0];
        bool isThere = !from.IsEmpty;
        from = isThere ? from[1..] : from;
        return isThere;
    }

    /// <summary>Writes the number of following bytes, in four bytes.</summary>
    public static void WriteLength(IBufferWriter<byte> to, int length)
    {
        BinaryPrimitives.WriteInt32BigEndian(to.GetSpan(sizeof(int)), length);
        to.Advance(sizeof(int));
    }

    /// <summary>Reads the bytes announced by <see cref="WriteLength"/>; false if they are missing.</summary>
    public static bool TryReadList(ref ReadOnlySpan<byte> from, out ReadOnlySpan<byte> list)
    {
        list = default;
        if (from.Length < sizeof(int) || BinaryPrimitives.ReadInt32BigEndian(from) is var length
            && (length < 0 || length > from.Length - sizeof(int)))
        {
            return false;
        }

        list = from.Slice(sizeof(int), BinaryPrimitives.ReadInt32BigEndian(from));
        from = from[(sizeof(int) + list.Length)..];
        return true;
    }

    /// <summary>Writes bytes after their length in two bytes.</summary>
    public static void WriteBytes(IBufferWriter<byte> to, ReadOnlySpan<byte> value)
    {
        Span<byte> bytes = to.GetSpan(sizeof(ushort) + value.Length);
        BinaryPrimitives.WriteUInt16BigEndian(bytes, (ushort)value.Length);
        value.CopyTo(bytes[sizeof(ushort)..]);
        to.Advance(sizeof(ushort) + value.Length);
    }

    /// <summary>Reads such bytes; false for invalid bytes.</summary>
    public static bool TryReadBytes(ref ReadOnlySpan<byte> from, out ReadOnlySpan<byte> value) => LinkBatch.TryTake(ref from, out value);

    /// <summary>Writes the differing parts of a slot, a bit for each.</summary>
    public static void WriteParts(IBufferWriter<byte> to, bool[] parts)
    {
        Span<byte> bytes = to.GetSpan(TableDigests.Count / 8)[..(TableDigests.Count / 8)];
        bytes.Clear();
        for (int i = 0; i < parts.Length; i++)
        {
            bytes[i / 8] |= (byte)(parts[i] ? 1 << (i % 8) : 0);
        }

        to.Advance(bytes.Length);
    }

    /// <summary>Reads the differing parts; false for invalid bytes.</summary>
    public static bool TryReadParts(ref ReadOnlySpan<byte> from, [NotNullWhen(true)] out bool[]? parts)
    {
        parts = null;
        if (from.Length < TableDigests.Count / 8)
        {
            return false;
        }

        parts = new bool[TableDigests.Count];
        for (int i = 0; i < parts.Length; i++)
        {
            parts[i] = (from[i / 8] & (1 << (i % 8))) != 0;
        }

        from = from[(TableDigests.Count / 8)..];
        return true;
    }

    /// <summary>Writes an existing entry.</summary>
    public static void WriteEntry(IBufferWriter<byte> to, in TableEntry entry, TimeSpan remaining)
    {
        WriteByte(to, entry.IsDurable ? Durable : (byte)0);
        WriteBytes(to, entry.Key);
        Span<byte> bytes = to.GetSpan(sizeof(ushort) + (2 * sizeof(long)));
        BinaryPrimitives.WriteUInt16BigEndian(bytes, entry.Version);
        BinaryPrimitives.WriteInt64BigEndian(bytes[sizeof(ushort)..], entry.Number);
        BinaryPrimitives.WriteInt64BigEndian(
            bytes[(sizeof(ushort) + sizeof(long))..], remaining == Timeout.InfiniteTimeSpan ? Endless : remaining.Ticks);
        to.Advance(sizeof(ushort) + (2 * sizeof(long)));
        WriteBytes(to, entry.Value.Span);
    }

    /// <summary>Writes the removal of an entry.</summary>
    public static void WriteRemoval(IBufferWriter<byte> to, in TableRemoval removal)
    {
        WriteByte(to, (byte)(Removed | (removal.IsExpired ? Expired : 0)));
        WriteBytes(to, removal.Key.Bytes);
        BinaryPrimitives.WriteInt64BigEndian(to.GetSpan(sizeof(long)), removal.Number);
        to.Advance(sizeof(long));
    }

    /// <summary>Reads an entry from <see cref="WriteEntry"/> or <see cref="WriteRemoval"/>.</summary>
    public static bool TryReadEntry(ref ReadOnlySpan<byte> from, [NotNullWhen(true)] out TableNews? news)
    {
        news = null;
        if (!TryReadByte(ref from, out byte flags) || !TryReadBytes(ref from, out ReadOnlySpan<byte> key)
            || key.Length is 0 or > CoapTableKey.MaxLength)
        {
            return false;
        }

        if ((flags & Removed) != 0)
        {
            if (from.Length < sizeof(long))
            {
                return false;
            }

            news = new TableNews(key.ToArray())
            {
                IsRemoved = true,
                IsExpired = (flags & Expired) != 0,
                Number = BinaryPrimitives.ReadInt64BigEndian(from),
            };
            from = from[sizeof(long)..];
            return true;
        }

        if (from.Length < sizeof(ushort) + (2 * sizeof(long)))
        {
            return false;
        }

        ushort version = BinaryPrimitives.ReadUInt16BigEndian(from);
        long number = BinaryPrimitives.ReadInt64BigEndian(from[sizeof(ushort)..]);
        long remaining = BinaryPrimitives.ReadInt64BigEndian(from[(sizeof(ushort) + sizeof(long))..]);
        from = from[(sizeof(ushort) + (2 * sizeof(long)))..];
        if (!TryReadBytes(ref from, out ReadOnlySpan<byte> value) || value.Length > CoapTable.MaxValueLength)
        {
            return false;
        }

        news = new TableNews(key.ToArray())
        {
            Value = value.ToArray(),
            Version = version,
            Number = number,
            Remaining = remaining == Endless ? Timeout.InfiniteTimeSpan : new TimeSpan(Math.Max(0, remaining)),
            IsDurable = (flags & Durable) != 0,
        };
        return true;
    }
}
