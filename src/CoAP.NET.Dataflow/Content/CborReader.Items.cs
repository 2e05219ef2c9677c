namespace CoAP.NET.Content;

// Items that are taken as they come, whatever their type is.
internal ref partial struct CborReader
{
    /// <summary>The head of a tag; the item that it belongs to follows.</summary>
    public bool TryReadTag(out ulong tag)
    {
        int start = _position;
        return TryReadHead(out CborMajor major, out tag, out _) && (major == CborMajor.Tag || Fail(start, "a tag was expected"));
    }

    /// <summary>A simple value or a floating-point number.</summary>
    /// <param name="value">The number of the simple value, such as 22 for null; 0 for a floating-point number.</param>
    /// <param name="number">The floating-point number; null for a simple value.</param>
    public bool TryReadSimple(out int value, out double? number)
    {
        int start = _position;
        value = 0;
        number = null;
        if (!TryPeek(out CborMajor major))
        {
            return false;
        }

        if (major != CborMajor.Simple)
        {
            return Fail(start, "a simple value was expected");
        }

        // The additional information 25 to 27: half, single and double precision (RFC 8949 section 3.3).
        if ((_data[start] & 0x1f) is >= 25 and <= 27)
        {
            bool isRead = TryReadFloat(out double read);
            number = read;
            return isRead;
        }

        bool isSimple = TryReadHead(out _, out ulong argument, out _);
        value = (int)argument;
        return isSimple;
    }
}
