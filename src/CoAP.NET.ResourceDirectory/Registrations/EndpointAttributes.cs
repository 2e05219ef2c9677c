namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// The endpoint attributes of a registration in order, such as <c>et=oic.d.sensor</c>: each a byte with its length and its text.
/// </summary>
/// <param name="bytes">All of them.</param>
internal ref struct EndpointAttributes(ReadOnlySpan<byte> bytes)
{
    private ReadOnlySpan<byte> _rest = bytes;

    /// <summary>All of them.</summary>
    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    /// <summary>The text of the present one.</summary>
    public ReadOnlySpan<byte> Current { get; private set; }

    /// <summary>The name of the present one.</summary>
    public readonly ReadOnlySpan<byte> Name => Current.IndexOf((byte)'=') is >= 0 and int at ? Current[..at] : Current;

    /// <summary>Whether the present one has a value.</summary>
    public readonly bool HasValue => Current.Contains((byte)'=');

    /// <summary>The value of the present one; empty for none.</summary>
    public readonly ReadOnlySpan<byte> Value => Current.IndexOf((byte)'=') is >= 0 and int at ? Current[(at + 1)..] : default;

    /// <summary>Appends one.</summary>
    /// <param name="to">The others.</param>
    /// <param name="attribute">Its text, at most 255 bytes.</param>
    public static void Append(List<byte> to, ReadOnlySpan<byte> attribute)
    {
        to.Add((byte)attribute.Length);
        to.AddRange(attribute);
    }

    /// <summary>These with others, which take the place of those with the same names (RFC 9176 section 5.3.1).</summary>
    /// <param name="newer">The others.</param>
    public readonly byte[] Override(EndpointAttributes newer)
    {
        List<byte> merged = [];
        EndpointAttributes all = new(Bytes);
        while (all.MoveNext())
        {
            if (!newer.Has(all.Name))
            {
                Append(merged, all.Current);
            }
        }

        merged.AddRange(newer.Bytes);
        return [.. merged];
    }

    /// <summary>Whether there is one of a name.</summary>
    /// <param name="name">The name.</param>
    public readonly bool Has(ReadOnlySpan<byte> name)
    {
        EndpointAttributes all = new(Bytes);
        while (all.MoveNext())
        {
            if (AsciiText.AreEqual(all.Name, name))
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Goes on to the next one.</summary>
    public bool MoveNext()
    {
        if (_rest.IsEmpty || _rest[0] >= _rest.Length)
        {
            return false;
        }

        Current = _rest.Slice(1, _rest[0]);
        _rest = _rest[(1 + _rest[0])..];
        return true;
    }
}
