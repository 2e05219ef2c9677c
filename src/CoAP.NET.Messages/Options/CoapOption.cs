namespace CoAP.NET;

/// <summary>An option of a message: a number and a value (RFC 7252 section 5.4).</summary>
/// <remarks>Immutable. Two options are equal if number and bytes are equal and both belong to the same kind of message.</remarks>
/// <example>
/// <code>
/// CoapRequest request = new(CoapMethod.Get, "coap://[::1]/temperature");
/// request.Options.Add(new UriQueryOption("unit=C"));
/// foreach (CoapOption option in request.Options)
/// {
///     Console.WriteLine($"{option.Number}: {option}");
/// }
/// </code>
/// </example>
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

    /// <summary>The registered name, or the number if there is none.</summary>
    public abstract string Name { get; }

    /// <summary>The length of the value on the wire, in bytes.</summary>
    public abstract int ValueLength { get; }

    /// <summary>Whether the option is critical (RFC 7252 section 5.4.1).</summary>
    public bool IsCritical => OptionNumber.IsCritical(Number);

    /// <summary>Whether a proxy must know the option to forward it (RFC 7252 section 5.4.2).</summary>
    public bool IsUnsafe => OptionNumber.IsUnsafe(Number);

    /// <summary>Whether the option is excluded from the cache key (RFC 7252 section 5.4.2).</summary>
    public bool IsNoCacheKey => OptionNumber.IsNoCacheKey(Number);

    /// <summary>Writes the value in its wire format.</summary>
    /// <param name="destination">At least <see cref="ValueLength"/> bytes.</param>
    public abstract void WriteValue(Span<byte> destination);

    /// <summary>Returns the bytes of the value in a new array.</summary>
    /// <returns>The bytes.</returns>
    public byte[] ToValueArray()
    {
        byte[] bytes = new byte[ValueLength];
        WriteValue(bytes);
        return bytes;
    }

    // Signalling codes have their own option numbers, so Custody is different from a Max-Message-Size of 0 bytes.
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

    /// <summary>Returns name and value, human-readable, such as <c>Uri-Path: sensors</c>.</summary>
    /// <returns>The text.</returns>
    public override string ToString()
    {
        // An empty value is a value too: it is a zero (RFC 7252 section 3.2).
        string value = FormatValue();
        return value.Length == 0 ? Name : $"{Name}: {value}";
    }

    /// <summary>Returns the value, human-readable.</summary>
    /// <returns>The text.</returns>
    protected abstract string FormatValue();
}
