using System.Text;
using System.Text.Unicode;

namespace CoAP.NET.Content;

/// <summary>
/// Reads the CBOR (RFC 8949) that the core itself needs: lists of missing blocks, and the texts of problem details for an exception.
/// Malformed bytes end it; lengths are checked before any allocation. Full CBOR support is in the package CoAP.NET.Content.
/// </summary>
/// <param name="bytes">The bytes.</param>
internal ref struct MinimalCborReader(ReadOnlySpan<byte> bytes)
{
    // One more than in the package, because the parts of a string count here.
    private const int MaxDepth = 17;

    private ReadOnlySpan<byte> _rest = bytes;

    public readonly bool IsAtEnd => _rest.IsEmpty;

    /// <summary>Reads the head of the next item.</summary>
    /// <param name="major">The major type.</param>
    /// <param name="argument">The argument; null if a break ends the item.</param>
    public bool TryReadHead(out int major, out ulong? argument)
    {
        (major, argument) = (0, null);
        if (_rest.IsEmpty)
        {
            return false;
        }

        int information = _rest[0] & 0x1f;
        int width = information is >= 24 and <= 27 ? 1 << (information - 24) : 0;
        major = _rest[0] >> 5;
        bool isIndefinite = information == 31 && major is >= 2 and <= CborHeadWriter.Map;
        if (_rest.Length <= width || (information > 27 && !isIndefinite))
        {
            return false;
        }

        if (!isIndefinite)
        {
            ulong value = width == 0 ? (ulong)information : 0;
            foreach (byte next in _rest.Slice(1, width))
            {
                value = (value << 8) | next;
            }

            argument = value;
        }

        _rest = _rest[(1 + width)..];
        return true;
    }

    /// <summary>Returns whether the next byte is the end of an item of indefinite length, and skips it.</summary>
    public bool TryTakeBreak()
    {
        bool isThere = !_rest.IsEmpty && _rest[0] == 0xff;
        _rest = isThere ? _rest[1..] : _rest;
        return isThere;
    }

    /// <summary>Reads an integer of 64 bits with sign.</summary>
    public bool TryReadInt(out long value)
    {
        bool isRead = TryReadHead(out int major, out ulong? argument);
        value = (long)(argument ?? 0);
        value = major == CborHeadWriter.NegativeInteger ? ~value : value;
        return isRead && major <= CborHeadWriter.NegativeInteger && argument <= long.MaxValue;
    }

    public bool TryReadText(out string text)
    {
        text = string.Empty;
        if (!TryReadHead(out int major, out ulong? length) || major != CborHeadWriter.TextString)
        {
            return false;
        }

        if (length is { } bytes)
        {
            bool isWhole = TryTake(bytes, out ReadOnlySpan<byte> utf8);
            text = Encoding.UTF8.GetString(utf8);
            return isWhole && Utf8.IsValid(utf8);
        }

        StringBuilder parts = new();
        while (!TryTakeBreak())
        {
            if (!TryReadHead(out major, out length) || major != CborHeadWriter.TextString || length is not { } part
                || !TryTake(part, out ReadOnlySpan<byte> utf8) || !Utf8.IsValid(utf8))
            {
                return false;
            }

            parts.Append(Encoding.UTF8.GetString(utf8));
        }

        text = parts.ToString();
        return true;
    }

    /// <summary>Skips any one item with its content.</summary>
    public bool TrySkip() => TrySkip(MaxDepth);

    private bool TrySkip(int depth)
    {
        if (depth == 0 || !TryReadHead(out int major, out ulong? argument))
        {
            return false;
        }

        if (major is < 2 or CborHeadWriter.Simple)
        {
            return true;
        }

        if (major <= CborHeadWriter.TextString && argument is { } length)
        {
            return TryTake(length, out _);
        }

        // Parts of a string, items, keys and values, or the content of a tag. Each needs at least a byte, so a count beyond the end fails
        // soon.
        ulong each = major == CborHeadWriter.Map ? 2u : 1u;
        ulong? count = major == CborHeadWriter.Tag ? 1 : argument;
        for (ulong i = 0; count is null ? !TryTakeBreak() : i < count; i++)
        {
            for (ulong j = 0; j < each; j++)
            {
                if (!TrySkip(depth - 1))
                {
                    return false;
                }
            }
        }

        return true;
    }

    private bool TryTake(ulong length, out ReadOnlySpan<byte> taken)
    {
        taken = default;
        if (length > (ulong)_rest.Length)
        {
            return false;
        }

        taken = _rest[..(int)length];
        _rest = _rest[(int)length..];
        return true;
    }
}
