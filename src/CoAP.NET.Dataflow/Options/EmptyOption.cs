namespace CoAP.NET.Options;

/// <summary>An option without a value: its presence says all (RFC 7252 section 3.2). Derive from it for an option of your own.</summary>
public abstract class EmptyOption : CoapOption<bool>
{
    /// <summary>Makes the option.</summary>
    /// <param name="definition">What is legal for it.</param>
    protected EmptyOption(OptionDefinition definition)
        : base(definition, true)
    {
    }

    /// <inheritdoc/>
    public sealed override int ValueLength => 0;

    /// <inheritdoc/>
    public sealed override void WriteValue(Span<byte> destination)
    {
    }

    /// <inheritdoc/>
    protected override string FormatValue() => string.Empty;
}
