using System.Buffers.Binary;

namespace CoAP.NET;

/// <summary>An option with a non-negative integer as its value, written without leading zeros (RFC 7252 section 3.2).</summary>
/// <remarks>Derive from it for a custom option.</remarks>
public abstract class UIntOption : CoapOption<uint>
{
    /// <summary>Creates the option.</summary>
    /// <param name="definition">The definition of the option.</param>
    /// <param name="value">The integer.</param>
    /// <exception cref="ArgumentOutOfRangeException">The integer needs more bytes than the definition allows.</exception>
    protected UIntOption(OptionDefinition definition, uint value)
        : base(definition, value)
    {
        // Zero has no bytes, even if the minimum length is one (Hop-Limit, RFC 8768): the range is for received values.
        int length = GetLength(value);
        if (length > definition.MaxLength)
        {
            throw new ArgumentOutOfRangeException(nameof(value), value,
                $"A value of {definition.Name} must have at most {definition.MaxLength} bytes.");
        }
    }

    /// <inheritdoc/>
    public sealed override int ValueLength => GetLength(Value);

    /// <inheritdoc/>
    public sealed override void WriteValue(Span<byte> destination) => Write(Value, destination);

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
