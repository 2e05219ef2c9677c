namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>Iterates over the attributes of a link.</summary>
/// <param name="attributes">The attributes, each with a leading semicolon.</param>
internal ref struct LinkAttributeEnumerator(ReadOnlySpan<byte> attributes)
{
    private ReadOnlySpan<byte> _rest = attributes;

    /// <summary>The text of the current attribute, with its semicolon.</summary>
    public ReadOnlySpan<byte> Text { get; private set; }

    public ReadOnlySpan<byte> Name { get; private set; }

    /// <summary>Its value without quotes, still escaped; empty for none.</summary>
    public ReadOnlySpan<byte> Value { get; private set; }

    public bool HasValue { get; private set; }

    public bool MoveNext()
    {
        if (_rest.IsEmpty)
        {
            return false;
        }

        ReadOnlySpan<byte> text = _rest[1..];
        int at = text.IndexOfAny((byte)'=', (byte)';');
        HasValue = at >= 0 && text[at] == '=';
        Name = at < 0 ? text : text[..at];
        if (!HasValue)
        {
            Value = default;
            at = Name.Length;
        }
        else if (++at < text.Length && text[at] == '"')
        {
            Value = text[++at..][..LinkFormatEnumerator.LengthOfQuoted(text[at..])];
            at = Math.Min(at + Value.Length + 1, text.Length);
        }
        else
        {
            int length = text[at..].IndexOf((byte)';');
            Value = length < 0 ? text[at..] : text.Slice(at, length);
            at += Value.Length;
        }

        Text = _rest[..(at + 1)];
        _rest = _rest[(at + 1)..];
        return true;
    }

    /// <summary>Removes the escapes of a quoted string.</summary>
    /// <param name="value">The value between the quotes.</param>
    public static ReadOnlySpan<byte> Unescape(ReadOnlySpan<byte> value)
    {
        if (!value.Contains((byte)'\\'))
        {
            return value;
        }

        byte[] plain = new byte[value.Length];
        int length = 0;
        for (int i = 0; i < value.Length; i++)
        {
            i += value[i] == '\\' && i + 1 < value.Length ? 1 : 0;
            plain[length++] = value[i];
        }

        return plain.AsSpan(0, length);
    }
}
