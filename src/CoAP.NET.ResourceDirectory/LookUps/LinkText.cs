namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// Goes through a document in link format that <see cref="CoapLinkFormat.Format"/> wrote: without white space, and without errors.
/// </summary>
/// <param name="text">The document in UTF-8.</param>
internal ref struct LinkText(ReadOnlySpan<byte> text)
{
    private ReadOnlySpan<byte> _rest = text;

    /// <summary>The target of the present link.</summary>
    public ReadOnlySpan<byte> Target { get; private set; }

    /// <summary>The attributes of the present link, each with its semicolon before it.</summary>
    public ReadOnlySpan<byte> Attributes { get; private set; }

    /// <summary>Goes on to the next link.</summary>
    public bool MoveNext()
    {
        int start = _rest.IndexOf((byte)'<');
        int end = start < 0 ? -1 : _rest[start..].IndexOf((byte)'>');
        if (end < 0)
        {
            return false;
        }

        Target = _rest.Slice(start + 1, end - 1);
        _rest = _rest[(start + end + 1)..];
        int length = 0;
        while (_rest[length..].IndexOfAny((byte)',', (byte)'"') is >= 0 and var at && _rest[length + at] == '"')
        {
            length += at + 1;
            length += Math.Min(LengthOfQuoted(_rest[length..]) + 1, _rest.Length - length);
        }

        int comma = _rest[length..].IndexOf((byte)',');
        length = comma < 0 ? _rest.Length : length + comma;
        Attributes = _rest[..length];
        _rest = _rest[length..];
        return true;
    }

    /// <summary>The length of a quoted string up to the quote that ends it.</summary>
    /// <param name="text">What stands behind the quote that begins it.</param>
    public static int LengthOfQuoted(ReadOnlySpan<byte> text)
    {
        int length = 0;
        while (text[length..].IndexOfAny((byte)'"', (byte)'\\') is >= 0 and var at)
        {
            length += at;
            if (text[length] == '"')
            {
                return length;
            }

            length = Math.Min(length + 2, text.Length);
        }

        return text.Length;
    }
}
