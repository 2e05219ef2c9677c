using System.Buffers.Binary;
using System.Text;

namespace CoAP.NET.Cluster;

/// <summary>The format of messages between nodes about changes and observed resources. Numbers are in network byte order.</summary>
internal static class NoticeMessages
{
    /// <summary>The size from which on no further name is added to a message.</summary>
    public const int Size = 32 * 1024;

    /// <summary>The maximum number of observed names in one message.</summary>
    public const int MaxObserved = 2000;

    /// <summary>The number that marks missing earlier changes.</summary>
    public const long Gap = -1;

    /// <summary>The number that marks a resource as no longer observed.</summary>
    public const long NotObserved = -1;

    private const int MaxName = 60_000;
    private const int NumberSize = sizeof(long);
    private const int LengthSize = sizeof(ushort);

    /// <summary>Whether a name fits into a message.</summary>
    public static bool CanTell(string name) => name.Length <= MaxName && Encoding.UTF8.GetByteCount(name) <= MaxName;

    /// <summary>Writes changes: the number before them, the number after them, and the names, each with its length in two bytes.</summary>
    /// <param name="names">The names.</param>
    /// <param name="at">The first name to write; afterwards the first one that did not fit.</param>
    /// <returns>The message without its numbers; <see cref="Number"/> adds them.</returns>
    public static byte[] Changes(string[] names, ref int at)
    {
        int size = 2 * NumberSize;
        int end = at;
        while (end < names.Length && (end == at || size < Size))
        {
            size += LengthSize + Encoding.UTF8.GetByteCount(names[end++]);
        }

        byte[] message = new byte[size];
        Span<byte> rest = message.AsSpan(2 * NumberSize);
        for (; at < end; at++)
        {
            int length = Encoding.UTF8.GetBytes(names[at], rest[LengthSize..]);
            BinaryPrimitives.WriteUInt16BigEndian(rest, (ushort)length);
            rest = rest[(LengthSize + length)..];
        }

        return message;
    }

    /// <summary>Sets the numbers of a message of changes.</summary>
    public static void Number(byte[] message, long from, long to)
    {
        BinaryPrimitives.WriteInt64BigEndian(message, from);
        BinaryPrimitives.WriteInt64BigEndian(message.AsSpan(NumberSize), to);
    }

    /// <summary>Reads a message of changes.</summary>
    /// <returns>False for an invalid message.</returns>
    public static bool TryReadChanges(ReadOnlySpan<byte> message, out long from, out long to, out List<string> names)
    {
        (from, to, names) = (0, 0, []);
        if (message.Length < 2 * NumberSize)
        {
            return false;
        }

        from = BinaryPrimitives.ReadInt64BigEndian(message);
        to = BinaryPrimitives.ReadInt64BigEndian(message[NumberSize..]);
        ReadOnlySpan<byte> rest = message[(2 * NumberSize)..];
        while (LinkBatch.TryTake(ref rest, out ReadOnlySpan<byte> name))
        {
            names.Add(Encoding.UTF8.GetString(name));
        }

        return rest.IsEmpty;
    }

    /// <summary>
    /// Writes observed resources: whether the list is full, and for each name its hash and the number since which it may have missed
    /// changes, or that it is no longer observed.
    /// </summary>
    public static byte[] Observed(bool isFromTheBeginning, ReadOnlySpan<(string Name, long Since)> entries)
    {
        byte[] message = new byte[1 + (entries.Length * 2 * NumberSize)];
        message[0] = isFromTheBeginning ? (byte)1 : (byte)0;
        Span<byte> rest = message.AsSpan(1);
        foreach ((string name, long since) in entries)
        {
            BinaryPrimitives.WriteUInt64BigEndian(rest, NoticeNames.HashOf(name));
            BinaryPrimitives.WriteInt64BigEndian(rest[NumberSize..], since);
            rest = rest[(2 * NumberSize)..];
        }

        return message;
    }

    /// <summary>Reads a message of observed resources.</summary>
    /// <returns>False for an invalid message.</returns>
    public static bool TryReadObserved(ReadOnlySpan<byte> message, out bool isFromTheBeginning, out (ulong Hash, long Since)[] entries)
    {
        (isFromTheBeginning, entries) = (false, []);
        if (message.IsEmpty || (message.Length - 1) % (2 * NumberSize) != 0 || message.Length > 1 + (MaxObserved * 2 * NumberSize))
        {
            return false;
        }

        isFromTheBeginning = message[0] != 0;
        entries = new (ulong, long)[(message.Length - 1) / (2 * NumberSize)];
        for (int i = 0; i < entries.Length; i++)
        {
            ReadOnlySpan<byte> entry = message[(1 + (i * 2 * NumberSize))..];
            entries[i] = (BinaryPrimitives.ReadUInt64BigEndian(entry), BinaryPrimitives.ReadInt64BigEndian(entry[NumberSize..]));
        }

        return true;
    }

    /// <summary>Writes the response to observed resources: the indexes of those that may have changed meanwhile.</summary>
    public static byte[] Places(List<int> places)
    {
        byte[] answer = new byte[places.Count * LengthSize];
        for (int i = 0; i < places.Count; i++)
        {
            BinaryPrimitives.WriteUInt16BigEndian(answer.AsSpan(i * LengthSize), (ushort)places[i]);
        }

        return answer;
    }

    /// <summary>Reads such a response; indexes outside of the message are ignored.</summary>
    public static List<int> ReadPlaces(ReadOnlySpan<byte> answer, int count)
    {
        List<int> places = [];
        for (; answer.Length >= LengthSize; answer = answer[LengthSize..])
        {
            int place = BinaryPrimitives.ReadUInt16BigEndian(answer);
            if (place < count)
            {
                places.Add(place);
            }
        }

        return places;
    }
}
