namespace CoAP.NET.Content;

// What concise problem details need: optional tags, null, and keys of several types.
internal ref partial struct CborReader
{
    /// <summary>Whether the next item has a certain tag; takes the tag, not the item.</summary>
    public bool TryTakeTag(ulong tag)
    {
        int start = _position;
        CborReader ahead = this;
        if (!IsAtEnd && ahead.TryReadHead(out CborMajor major, out ulong argument, out _) && major == CborMajor.Tag && argument == tag)
        {
            _position = ahead._position;
            return true;
        }

        _position = start;
        return false;
    }

    /// <summary>Whether the next item is null; takes it.</summary>
    public bool TryTakeNull()
    {
        if (IsAtEnd || _data[_position] != 0xf6)
        {
            return false;
        }

        _position++;
        return true;
    }

    /// <summary>A key that is an integer or a text.</summary>
    /// <param name="number">The integer; null for a text and for an integer that does not fit 64 bits with sign.</param>
    /// <param name="text">The text; null for an integer.</param>
    public bool TryReadKey(out long? number, out string? text)
    {
        int start = _position;
        (number, text) = (null, null);
        if (!TryPeek(out CborMajor major))
        {
            return false;
        }

        if (major == CborMajor.TextString)
        {
            return TryReadText(out text);
        }

        if (!TryReadHead(out major, out ulong argument, out _))
        {
            return false;
        }

        if (argument <= long.MaxValue)
        {
            number = major == CborMajor.NegativeInteger ? ~(long)argument : (long)argument;
        }

        return major is CborMajor.UnsignedInteger or CborMajor.NegativeInteger || Fail(start, "a key that is an integer or a text was expected");
    }

    /// <summary>Any one item, as its bytes.</summary>
    public bool TryReadItem(out byte[] item)
    {
        int start = _position;
        bool isRead = TrySkip();
        item = isRead ? _data[start.._position].ToArray() : [];
        return isRead;
    }

    /// <summary>What a caller found wrong with an item that it has read.</summary>
    public bool Refuse(int offset, string message) => Fail(offset, message);
}
