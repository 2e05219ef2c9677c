namespace CoAP.NET.Options;

/// <summary>An option whose value is any sequence of bytes (RFC 7252 section 3.2). Derive from it for an option of your own.</summary>
public abstract class OpaqueOption : CoapOption<ReadOnlyMemory<byte>>
{
    /// <summary>Makes the option.</summary>
    /// <param name="definition">What is legal for it.</param>
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
