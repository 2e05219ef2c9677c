using System.Buffers.Binary;
using System.Globalization;

namespace CoAP.NET.Options;

/// <summary>
/// An option whose value is a non-negative integer, written without leading zeros (RFC 7252 section 3.2). Derive from it for an option of
/// your own.
/// </summary>
public abstract class UIntOption : CoapOption<uint>
{
    /// <summary>Makes the option.</summary>
    /// <param name="definition">What is legal for it.</param>
    /// <param name="value">The integer.</param>
    /// <exception cref="ArgumentOutOfRangeException">The integer needs more bytes than the definition allows.</exception>
    protected UIntOption(OptionDefinition definition, uint value)
        : base(definition, value)
    {
        // A zero stands as no byte at all, even where the shortest legal form has one (Hop-Limit, RFC 8768): the range is for received
        // values.
        int length = GetLength(value);
        if (length > definition.MaxLength)
        {
            throw new ArgumentOutOfRangeException(nameof(value), value,
                $"A value of {definition.Name} has at most {definition.MaxLength} bytes.");
        }
    }

    /// <inheritdoc/>
    public sealed override int ValueLength => GetLength(Value);

    /// <inheritdoc/>
    public sealed override void WriteValue(Span<byte> destination) => Write(Value, destination);

    /// <inheritdoc/>
    protected override string FormatValue() => Value.ToString(CultureInfo.InvariantCulture);

    internal static int GetLength(uint value) => value switch
    {
        0 => 0,
        <= 0xff => 1,
        <= 0xffff => 2,
        <= 0xff_ffff => 3,
        _ => 4,
    };

    internal static int Write(uint value, Span<byte> destination)
    {
        int length = GetLength(value);
        Span<byte> bytes = stackalloc byte[4];
        BinaryPrimitives.WriteUInt32BigEndian(bytes, value);
        bytes[(4 - length)..].CopyTo(destination);
        return length;
    }
}
