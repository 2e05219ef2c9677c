namespace CoAP.NET;

/// <summary>An option without a value: only its presence counts (RFC 7252 section 3.2).</summary>
/// <remarks>Derive from it for a custom option.</remarks>
public abstract class EmptyOption : CoapOption<bool>
{
    /// <summary>Creates the option.</summary>
    /// <param name="definition">The definition of the option.</param>
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
