namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>
/// Iterates over a link-format document written by <see cref="CoapLinkFormat.Format"/>: without white space, and without errors.
/// </summary>
/// <param name="text">The document in UTF-8.</param>
internal ref struct LinkFormatEnumerator(ReadOnlySpan<byte> text)
{
    private ReadOnlySpan<byte> _rest = text;

    public ReadOnlySpan<byte> Target { get; private set; }

    /// <summary>The attributes of the current link, each with a leading semicolon.</summary>
    public ReadOnlySpan<byte> Attributes { get; private set; }

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

    /// <summary>Returns the length of a quoted string up to its closing quote.</summary>
    /// <param name="text">The text after the opening quote.</param>
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
