using CoAP.NET.ResourceDirectory.Lookups;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>
/// The endpoint attributes of a registration in order, such as <c>et=oic.d.sensor</c>: each as a length byte and its text.
/// </summary>
internal ref struct EndpointAttributes(ReadOnlySpan<byte> bytes)
{
    private ReadOnlySpan<byte> _rest = bytes;

    public ReadOnlySpan<byte> Bytes { get; } = bytes;

    public ReadOnlySpan<byte> Current { get; private set; }

    public readonly ReadOnlySpan<byte> Name => Current.IndexOf((byte)'=') is >= 0 and int at ? Current[..at] : Current;

    public readonly bool HasValue => Current.Contains((byte)'=');

    /// <summary>The value of the current attribute; empty for none.</summary>
    public readonly ReadOnlySpan<byte> Value => Current.IndexOf((byte)'=') is >= 0 and int at ? Current[(at + 1)..] : default;

    /// <summary>Appends an attribute.</summary>
    /// <param name="to">The existing attributes.</param>
    /// <param name="attribute">Its text, at most 255 bytes.</param>
    public static void Append(List<byte> to, ReadOnlySpan<byte> attribute)
    {
        to.Add((byte)attribute.Length);
        to.AddRange(attribute);
    }

    /// <summary>Merges newer attributes, which replace those with the same names (RFC 9176 section 5.3.1).</summary>
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

    public readonly bool Has(ReadOnlySpan<byte> name)
    {
        EndpointAttributes all = new(Bytes);
        while (all.MoveNext())
        {
            if (AsciiComparer.AreEqual(all.Name, name))
            {
                return true;
            }
        }

        return false;
    }

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
