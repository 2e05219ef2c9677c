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
        bool isQuoted = false;
        while (length < _rest.Length && (isQuoted || _rest[length] != ','))
        {
            if (isQuoted && _rest[length] == '\\')
            {
                length++;
            }
            else if (_rest[length] == '"')
            {
                isQuoted = !isQuoted;
            }

            length++;
        }

        length = Math.Min(length, _rest.Length);
        Attributes = _rest[..length];
        _rest = _rest[length..];
        return true;
    }
}
