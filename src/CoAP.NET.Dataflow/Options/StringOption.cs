using System.Text;

namespace CoAP.NET.Options;

/// <summary>An option whose value is a string in UTF-8 (RFC 7252 section 3.2). Derive from it for an option of your own.</summary>
public abstract class StringOption : CoapOption<string>
{
    /// <summary>Makes the option.</summary>
    /// <param name="definition">What is legal for it.</param>
    /// <param name="value">The string; not percent-encoded.</param>
    /// <exception cref="ArgumentOutOfRangeException">The string has a number of UTF-8 bytes that the definition does not allow.</exception>
    protected StringOption(OptionDefinition definition, string value)
        : base(definition, value)
    {
        ArgumentNullException.ThrowIfNull(value);
        ValueLength = CheckLength(definition, Encoding.UTF8.GetByteCount(value));
    }

    /// <inheritdoc/>
    public sealed override int ValueLength { get; }

    /// <inheritdoc/>
    public sealed override void WriteValue(Span<byte> destination) => Encoding.UTF8.GetBytes(Value, destination);

    /// <inheritdoc/>
    protected override string FormatValue() => Value;
}
