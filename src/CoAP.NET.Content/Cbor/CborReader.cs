using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Content.Cbor;

/// <summary>
/// Reads well-formed CBOR (RFC 8949) only: malformed, too deep or truncated input gives a fault with its offset. Lengths are checked
/// against the available bytes before anything is allocated. After a fault the reader stops. A copy reads ahead without moving the
/// original.
/// </summary>
internal ref struct CborReader
{
    /// <summary>The maximum nesting depth of skipped arrays, maps and tags.</summary>
    public const int MaxDepth = 16;

    private readonly ReadOnlySpan<byte> _data;

    public CborReader(ReadOnlySpan<byte> data) => _data = data;

    /// <summary>The position of the next item, in bytes.</summary>
    public int Position { get; private set; }

    public readonly bool IsAtEnd => Position == _data.Length;

    /// <summary>The fault; valid only after a method returned false.</summary>
    public ContentFault Fault { get; private set; }

    /// <summary>Returns the major type of the next item.</summary>
    public bool TryPeek(out CborMajor major)
    {
        major = IsAtEnd ? default : (CborMajor)(_data[Position] >> 5);
        return !IsAtEnd || Fail(Position, "the data ends too early");
    }

    /// <summary>Reads the head of the next item. The announced content follows.</summary>
    public bool TryReadHead(out CborHead head)
    {
        if (CborHead.Read(_data[Position..], out head) is { } wrong)
        {
            return Fail(Position, wrong);
        }

        Position += head.Length;
        return true;
    }

    /// <summary>Takes the end of an array or map of indefinite length, if it is next.</summary>
    public bool TryTakeBreak() => TryTake(0xff);

    /// <summary>Takes a null, if it is next.</summary>
    public bool TryTakeNull() => TryTake(0xf6);

    /// <summary>Takes a specific tag, without its item, if it is next.</summary>
    public bool TryTakeTag(ulong tag)
    {
        if (CborHead.Read(_data[Position..], out CborHead head) is not null || head.Major != CborMajor.Tag || head.Argument != tag)
        {
            return false;
        }

        Position += head.Length;
        return true;
    }

    /// <summary>Reads an unsigned integer.</summary>
    public bool TryReadUInt(out ulong value)
    {
        int start = Position;
        bool isRead = TryReadHead(out CborHead head);
        value = head.Argument;
        return isRead && (head.Major == CborMajor.UnsignedInteger || Fail(start, "an unsigned integer was expected"));
    }

    /// <summary>Reads an integer of 64 bits with sign.</summary>
    public bool TryReadInt(out long value)
    {
        int start = Position;
        value = 0;
        return TryReadHead(out CborHead head) && (head.TryGetInt64(out value) || Fail(start, "an integer of 64 bits was expected"));
    }

    /// <summary>Reads true or false.</summary>
    public bool TryReadBoolean(out bool value)
    {
        int start = Position;
        bool isRead = TryReadHead(out CborHead head);
        value = head is { Major: CborMajor.Simple, Argument: 21 };
        return isRead && (head is { Major: CborMajor.Simple, Argument: 20 or 21, Length: 1 } || Fail(start, "true or false was expected"));
    }

    /// <summary>Reads the head of an array.</summary>
    /// <param name="count">The number of items; null when a break ends it.</param>
    public bool TryReadArray(out int? count) => TryReadContainer(CborMajor.Array, "an array", out count);

    /// <summary>Reads the head of a map.</summary>
    /// <param name="count">The number of pairs; null when a break ends it.</param>
    public bool TryReadMap(out int? count) => TryReadContainer(CborMajor.Map, "a map", out count);

    /// <summary>Reads a text string.</summary>
    public bool TryReadText(out string text)
    {
        bool isRead = TryReadString(CborMajor.TextString, "a text string", out byte[] bytes);
        text = Encoding.UTF8.GetString(bytes);
        return isRead;
    }

    /// <summary>Reads a byte string.</summary>
    public bool TryReadBytes(out byte[] bytes) => TryReadString(CborMajor.ByteString, "a byte string", out bytes);

    /// <summary>Reads the head of a tag; its item follows.</summary>
    public bool TryReadTag(out ulong tag)
    {
        int start = Position;
        bool isRead = TryReadHead(out CborHead head);
        tag = head.Argument;
        return isRead && (head.Major == CborMajor.Tag || Fail(start, "a tag was expected"));
    }

    /// <summary>Reads a simple value or a floating-point number.</summary>
    /// <param name="value">The number of the simple value, such as 22 for null; 0 for a floating-point number.</param>
    /// <param name="number">The floating-point number; null for a simple value.</param>
    public bool TryReadSimple(out int value, out double? number)
    {
        int start = Position;
        bool isRead = TryReadHead(out CborHead head);
        number = head.IsFloat ? head.Float : null;
        value = head.IsFloat ? 0 : (int)head.Argument;
        return isRead && (head.Major == CborMajor.Simple || Fail(start, "a simple value was expected"));
    }

    /// <summary>Reads a key that is an integer or a text.</summary>
    /// <param name="number">The integer; null for a text and for an integer that does not fit in 64 bits with sign.</param>
    /// <param name="text">The text; null for an integer.</param>
    public bool TryReadKey(out long? number, out string? text)
    {
        int start = Position;
        (number, text) = (null, null);
        if (!TryPeek(out CborMajor major))
        {
            return false;
        }

        if (major == CborMajor.TextString)
        {
            return TryReadText(out text);
        }

        if (!TryReadHead(out CborHead head))
        {
            return false;
        }

        number = head.TryGetInt64(out long value) ? value : null;
        return head.IsInteger || Fail(start, "a key that is an integer or a text was expected");
    }

    /// <summary>Reads any item as bytes.</summary>
    public bool TryReadItem(out byte[] item)
    {
        int start = Position;
        bool isRead = TrySkip();
        item = isRead ? _data[start..Position].ToArray() : [];
        return isRead;
    }

    /// <summary>Skips any item with its content.</summary>
    public bool TrySkip() => TrySkip(MaxDepth);

    /// <summary>Checks that nothing follows.</summary>
    public bool TryEnd() => IsAtEnd || Fail(Position, "something follows the end of the item");

    /// <summary>
    /// Whether an array or a map can have as many items as its head says. Each item takes at least one byte, so a count cannot claim more
    /// than the available bytes.
    /// </summary>
    /// <param name="head">The head that was just read.</param>
    public bool TryHold(CborHead head)
    {
        int bytesForEach = head.Major == CborMajor.Map ? 2 : 1;
        return head.IsIndefinite || head.Argument <= (ulong)((_data.Length - Position) / bytesForEach)
            || Fail(Position - head.Length, "the length is beyond the end of the data");
    }

    /// <summary>Takes the bytes of a string of definite length, or of a part of another string.</summary>
    /// <param name="head">The head that was just read.</param>
    /// <param name="bytes">The bytes; for a text in UTF-8.</param>
    public bool TryTake(CborHead head, out ReadOnlySpan<byte> bytes)
    {
        bytes = default;
        int start = Position - head.Length;
        if (head.Argument > (ulong)(_data.Length - Position))
        {
            return Fail(start, "the length is beyond the end of the data");
        }

        bytes = _data.Slice(Position, (int)head.Argument);
        if (head.Major == CborMajor.TextString && !Utf8.IsValid(bytes))
        {
            return Fail(start, "the text is not valid UTF-8");
        }

        Position += bytes.Length;
        return true;
    }

    /// <summary>Reads a part of a string of indefinite length.</summary>
    /// <param name="major">The type of the string.</param>
    /// <param name="part">The bytes of the part.</param>
    public bool TryReadPart(CborMajor major, out ReadOnlySpan<byte> part)
    {
        int start = Position;
        part = default;
        if (!TryReadHead(out CborHead head))
        {
            return false;
        }

        return head.Major == major && !head.IsIndefinite
            ? TryTake(head, out part)
            : Fail(start, "a part of a string of indefinite length must be a string of the same type and of definite length");
    }

    /// <summary>Records a fault, after which nothing more can be read. Also for callers that read items by their own rules.</summary>
    public bool Fail(int offset, string message)
    {
        Fault = new ContentFault(offset, message);
        Position = _data.Length;
        return false;
    }

    private bool TryTake(byte item)
    {
        bool isThere = !IsAtEnd && _data[Position] == item;
        Position += isThere ? 1 : 0;
        return isThere;
    }

    private bool TryReadContainer(CborMajor expected, string name, out int? count)
    {
        int start = Position;
        count = null;
        if (!TryReadHead(out CborHead head))
        {
            return false;
        }

        if (head.Major != expected)
        {
            return Fail(start, $"{name} was expected");
        }

        if (!TryHold(head))
        {
            return false;
        }

        count = head.IsIndefinite ? null : (int)head.Argument;
        return true;
    }

    private bool TryReadString(CborMajor expected, string name, out byte[] bytes)
    {
        int start = Position;
        bytes = [];
        if (!TryReadHead(out CborHead head))
        {
            return false;
        }

        return head.Major == expected ? TryReadString(head, out bytes) : Fail(start, $"{name} was expected");
    }

    private bool TryReadString(CborHead head, out byte[] bytes)
    {
        if (!head.IsIndefinite)
        {
            bool isWhole = TryTake(head, out ReadOnlySpan<byte> whole);
            bytes = whole.ToArray();
            return isWhole;
        }

        bytes = [];
        using MemoryStream parts = new();
        while (!TryTakeBreak())
        {
            if (!TryReadPart(head.Major, out ReadOnlySpan<byte> part))
            {
                return false;
            }

            parts.Write(part);
        }

        bytes = parts.ToArray();
        return true;
    }

    private bool TrySkip(int depth)
    {
        int start = Position;
        if (depth == 0)
        {
            return Fail(start, $"items are nested more than {MaxDepth} deep");
        }

        if (!TryReadHead(out CborHead head))
        {
            return false;
        }

        switch (head.Major)
        {
            case CborMajor.ByteString or CborMajor.TextString:
                return TrySkipString(head);
            case CborMajor.Tag:
                return TrySkip(depth - 1);
            case CborMajor.Array or CborMajor.Map:
                return TryHold(head) && TrySkipItems(head, depth - 1);
            default:
                return true;
        }
    }

    private bool TrySkipString(CborHead head)
    {
        if (!head.IsIndefinite)
        {
            return TryTake(head, out _);
        }

        while (!TryTakeBreak())
        {
            if (!TryReadPart(head.Major, out _))
            {
                return false;
            }
        }

        return true;
    }

    private bool TrySkipItems(CborHead head, int depth)
    {
        for (ulong i = 0; head.IsIndefinite ? !TryTakeBreak() : i < head.Argument; i++)
        {
            if (!TrySkip(depth) || (head.Major == CborMajor.Map && !TrySkip(depth)))
            {
                return false;
            }
        }

        return true;
    }
}
