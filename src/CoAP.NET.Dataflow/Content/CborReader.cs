using System.Buffers.Binary;
using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Content;

/// <summary>
/// Reads well-formed CBOR (RFC 8949) and nothing else: what is ill-formed, too deep or claims more than there is gives a fault with its offset. Lengths are
/// checked against what is there before anything is allocated. After a fault nothing more can be read.
/// </summary>
internal ref partial struct CborReader
{
    /// <summary>How deep arrays, maps and tags may lie in each other where they are skipped.</summary>
    public const int MaxDepth = 16;

    private const int Indefinite = 31;

    private readonly ReadOnlySpan<byte> _data;
    private int _position;

    public CborReader(ReadOnlySpan<byte> data) => _data = data;

    /// <summary>Where the next item begins, in bytes.</summary>
    public readonly int Position => _position;

    public readonly bool IsAtEnd => _position == _data.Length;

    /// <summary>What was wrong; means something only after a method gave false.</summary>
    public ContentFault Fault { get; private set; }

    /// <summary>The major type of the next item.</summary>
    public bool TryPeek(out CborMajor major)
    {
        major = IsAtEnd ? default : (CborMajor)(_data[_position] >> 5);
        return !IsAtEnd || Fail(_position, "the data ends too early");
    }

    /// <summary>Whether the next byte is the end of an array or map of indefinite length; takes it.</summary>
    public bool TryTakeBreak()
    {
        if (IsAtEnd || _data[_position] != 0xff)
        {
            return false;
        }

        _position++;
        return true;
    }

    /// <summary>An unsigned integer.</summary>
    public bool TryReadUInt(out ulong value)
    {
        int start = _position;
        return TryReadHead(out CborMajor major, out value, out _) && (major == CborMajor.UnsignedInteger || Fail(start, "an unsigned integer was expected"));
    }

    /// <summary>An integer of 64 bits with sign.</summary>
    public bool TryReadInt(out long value)
    {
        int start = _position;
        value = 0;
        if (!TryReadHead(out CborMajor major, out ulong argument, out _))
        {
            return false;
        }

        value = major == CborMajor.NegativeInteger ? ~(long)argument : (long)argument;
        return (major is CborMajor.UnsignedInteger or CborMajor.NegativeInteger && argument <= long.MaxValue) || Fail(start, "an integer of 64 bits was expected");
    }

    /// <summary>True or false.</summary>
    public bool TryReadBoolean(out bool value)
    {
        int start = _position;
        value = !IsAtEnd && _data[_position] == 0xf5;
        return TryReadHead(out CborMajor major, out ulong argument, out _) && ((major == CborMajor.Simple && argument is 20 or 21 && _position == start + 1) || Fail(start, "true or false was expected"));
    }

    /// <summary>The head of an array.</summary>
    /// <param name="count">The number of items; null when a break ends it.</param>
    public bool TryReadArray(out int? count) => TryReadContainer(CborMajor.Array, 1, "an array", out count);

    /// <summary>The head of a map.</summary>
    /// <param name="count">The number of pairs; null when a break ends it.</param>
    public bool TryReadMap(out int? count) => TryReadContainer(CborMajor.Map, 2, "a map", out count);

    /// <summary>A text string.</summary>
    public bool TryReadText(out string text)
    {
        text = string.Empty;
        if (!TryReadString(CborMajor.TextString, "a text string", out byte[] bytes))
        {
            return false;
        }

        text = Encoding.UTF8.GetString(bytes);
        return true;
    }

    /// <summary>A byte string.</summary>
    public bool TryReadBytes(out byte[] bytes) => TryReadString(CborMajor.ByteString, "a byte string", out bytes);

    /// <summary>Any one item with all that lies in it.</summary>
    public bool TrySkip() => TrySkip(MaxDepth);

    /// <summary>Nothing may follow.</summary>
    public bool TryEnd() => IsAtEnd || Fail(_position, "something follows the end of the item");

    private bool TrySkip(int depth)
    {
        int start = _position;
        if (depth == 0)
        {
            return Fail(start, $"items lie more than {MaxDepth} deep in each other");
        }

        if (!TryReadHead(out CborMajor major, out ulong argument, out bool isIndefinite))
        {
            return false;
        }

        switch (major)
        {
            case CborMajor.ByteString or CborMajor.TextString:
                _position = start;
                return TryReadString(major, "a string", out _);
            case CborMajor.Tag:
                return TrySkip(depth - 1);
            case CborMajor.Array or CborMajor.Map:
                int each = major == CborMajor.Map ? 2 : 1;
                if (!isIndefinite && argument > (ulong)((_data.Length - _position) / each))
                {
                    return Fail(start, "the length is beyond the end of the data");
                }

                for (ulong i = 0; isIndefinite ? !TryTakeBreak() : i < argument; i++)
                {
                    if (!TrySkip(depth - 1) || (each == 2 && !TrySkip(depth - 1)))
                    {
                        return false;
                    }
                }

                return true;
            default:
                return true;
        }
    }

    private bool TryReadContainer(CborMajor expected, int bytesForEach, string name, out int? count)
    {
        int start = _position;
        count = null;
        if (!TryReadHead(out CborMajor major, out ulong argument, out bool isIndefinite))
        {
            return false;
        }

        if (major != expected)
        {
            return Fail(start, $"{name} was expected");
        }

        // Each item takes a byte at least, so that no count can claim more than there is.
        if (!isIndefinite && argument > (ulong)((_data.Length - _position) / bytesForEach))
        {
            return Fail(start, "the length is beyond the end of the data");
        }

        count = isIndefinite ? null : (int)argument;
        return true;
    }

    private bool TryReadString(CborMajor expected, string name, out byte[] bytes)
    {
        int start = _position;
        bytes = [];
        if (!TryReadHead(out CborMajor major, out ulong length, out bool isIndefinite))
        {
            return false;
        }

        if (major != expected)
        {
            return Fail(start, $"{name} was expected");
        }

        if (!isIndefinite)
        {
            if (!TryTake(start, major, length, out ReadOnlySpan<byte> whole))
            {
                return false;
            }

            bytes = whole.ToArray();
            return true;
        }

        using MemoryStream chunks = new();
        while (!TryTakeBreak())
        {
            int chunkStart = _position;
            if (!TryReadHead(out major, out length, out isIndefinite))
            {
                return false;
            }

            if (major != expected || isIndefinite)
            {
                return Fail(chunkStart, "a part of a string of indefinite length must be a string of the same type and of definite length");
            }

            if (!TryTake(chunkStart, major, length, out ReadOnlySpan<byte> chunk))
            {
                return false;
            }

            chunks.Write(chunk);
        }

        bytes = chunks.ToArray();
        return true;
    }

    private bool TryTake(int start, CborMajor major, ulong length, out ReadOnlySpan<byte> bytes)
    {
        bytes = default;
        if (length > (ulong)(_data.Length - _position))
        {
            return Fail(start, "the length is beyond the end of the data");
        }

        bytes = _data.Slice(_position, (int)length);
        if (major == CborMajor.TextString && !Utf8.IsValid(bytes))
        {
            return Fail(start, "the text is no UTF-8");
        }

        _position += (int)length;
        return true;
    }

    /// <summary>Initial byte and argument. A floating-point number leaves its bits in the argument.</summary>
    private bool TryReadHead(out CborMajor major, out ulong argument, out bool isIndefinite)
    {
        major = default;
        argument = 0;
        isIndefinite = false;
        int start = _position;
        if (IsAtEnd)
        {
            return Fail(start, "the data ends too early");
        }

        byte initial = _data[_position++];
        major = (CborMajor)(initial >> 5);
        int information = initial & 0x1f;
        if (information < 24)
        {
            argument = (ulong)information;
            return true;
        }

        if (information == Indefinite)
        {
            isIndefinite = major is CborMajor.ByteString or CborMajor.TextString or CborMajor.Array or CborMajor.Map;
            return isIndefinite || Fail(start, major == CborMajor.Simple ? "a break stands outside of an item of indefinite length" : "the item has no indefinite length");
        }

        if (information > 27)
        {
            return Fail(start, "the additional information is reserved");
        }

        int length = 1 << (information - 24);
        if (length > _data.Length - _position)
        {
            return Fail(start, "the data ends too early");
        }

        ReadOnlySpan<byte> bytes = _data.Slice(_position, length);
        _position += length;
        argument = length switch
        {
            1 => bytes[0],
            2 => BinaryPrimitives.ReadUInt16BigEndian(bytes),
            4 => BinaryPrimitives.ReadUInt32BigEndian(bytes),
            _ => BinaryPrimitives.ReadUInt64BigEndian(bytes),
        };
        return major != CborMajor.Simple || length > 1 || argument >= 32 || Fail(start, "a simple value below 32 takes one byte");
    }

    /// <summary>Notes a fault, after which nothing more can be read. For whoever reads items by rules of its own, too.</summary>
    public bool Fail(int offset, string message)
    {
        Fault = new ContentFault(offset, message);
        _position = _data.Length;
        return false;
    }
}
