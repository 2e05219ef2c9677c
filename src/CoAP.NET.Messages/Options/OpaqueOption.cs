namespace CoAP.NET;

/// <summary>An option with any sequence of bytes as its value (RFC 7252 section 3.2).</summary>
/// <remarks>Derive from it for a custom option.</remarks>
public abstract class OpaqueOption : CoapOption<ReadOnlyMemory<byte>>
{
    /// <summary>Creates the option.</summary>
    /// <param name="definition">The definition of the option.</param>
    /// <param name="value">The bytes; not copied, so they must not change.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer or more bytes than the definition allows.</exception>
    protected OpaqueOption(OptionDefinition definition, ReadOnlyMemory<byte> value)
        : base(definition, value)
    {
        CheckLength(definition, value.Length);
    }

    /// <inheritdoc/>
    public sealed override int ValueLength => Value.Length;

    /// <inheritdoc/>
    public sealed override void WriteValue(Span<byte> destination) => Value.Span.CopyTo(destination);

    /// <inheritdoc/>
    protected override string FormatValue() => Convert.ToHexStringLower(Value.Span);
}
