namespace CoAP.NET.Options;

/// <summary>
/// An option of a message: a number and a value (RFC 7252 section 5.4). Immutable; equal when number and bytes are equal and both belong to
/// the same kind of message.
/// </summary>
public abstract class CoapOption : IEquatable<CoapOption>
{
    private const int ShortValue = 256;

    private protected CoapOption(int number)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(number);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(number, OptionNumber.Max);
        Number = number;
    }

    /// <summary>The option number, 0 to 65,535.</summary>
    public int Number { get; }

    /// <summary>The registered name, or the number where there is none.</summary>
    public abstract string Name { get; }

    /// <summary>The length of the value on the wire, in bytes.</summary>
    public abstract int ValueLength { get; }

    /// <summary>Whether the option is critical (RFC 7252 section 5.4.1).</summary>
    public bool IsCritical => OptionNumber.IsCritical(Number);

    /// <summary>Whether a proxy must know the option to forward it (RFC 7252 section 5.4.2).</summary>
    public bool IsUnsafe => OptionNumber.IsUnsafe(Number);

    /// <summary>Whether the option is no part of the cache key (RFC 7252 section 5.4.2).</summary>
    public bool IsNoCacheKey => OptionNumber.IsNoCacheKey(Number);

    /// <summary>Writes the value as it stands on the wire.</summary>
    /// <param name="destination">At least <see cref="ValueLength"/> bytes.</param>
    public abstract void WriteValue(Span<byte> destination);

    /// <summary>A new array of the value's bytes.</summary>
    /// <returns>The bytes.</returns>
    public byte[] ToValueArray()
    {
        byte[] bytes = new byte[ValueLength];
        WriteValue(bytes);
        return bytes;
    }

    // Signalling codes number their options anew, so Custody is no Max-Message-Size of 0 bytes.
    private protected virtual CoapCode? SignallingCode => null;

    /// <inheritdoc/>
    public bool Equals(CoapOption? other)
    {
        if (other is null || Number != other.Number || ValueLength != other.ValueLength || SignallingCode != other.SignallingCode)
        {
            return false;
        }

        int length = ValueLength;
        Span<byte> mine = length <= ShortValue ? stackalloc byte[length] : new byte[length];
        Span<byte> others = length <= ShortValue ? stackalloc byte[length] : new byte[length];
        WriteValue(mine);
        other.WriteValue(others);
        return mine.SequenceEqual(others);
    }

    /// <inheritdoc/>
    public override bool Equals(object? obj) => Equals(obj as CoapOption);

    /// <inheritdoc/>
    public override int GetHashCode()
    {
        HashCode hash = default;
        hash.Add(Number);
        int length = ValueLength;
        Span<byte> bytes = length <= ShortValue ? stackalloc byte[length] : new byte[length];
        WriteValue(bytes);
        hash.AddBytes(bytes);
        return hash.ToHashCode();
    }

    /// <summary>Name and value for people, such as <c>Uri-Path: sensors</c>.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        // No byte may be a value too: a zero is written so (RFC 7252 section 3.2).
        string value = FormatValue();
        return value.Length == 0 ? Name : $"{Name}: {value}";
    }

    /// <summary>The value for people.</summary>
    /// <returns>The text.</returns>
    protected abstract string FormatValue();
}
