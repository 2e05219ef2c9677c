using System.Globalization;

namespace CoAP.NET;

/// <summary>
/// An option without a factory, or with a length that its definition forbids; its bytes are kept (RFC 7252 section 5.4.1).
/// </summary>
public sealed class UnrecognizedOption : CoapOption
{
    /// <summary>Creates the option.</summary>
    /// <param name="number">The option number, 0 to 65,535.</param>
    /// <param name="value">The bytes; not copied, so they must not change.</param>
    public UnrecognizedOption(int number, ReadOnlyMemory<byte> value)
        : base(number)
    {
        Value = value;
    }

    /// <summary>The bytes of the value.</summary>
    public ReadOnlyMemory<byte> Value { get; }

    /// <inheritdoc/>
    public override string Name => Number.ToString(CultureInfo.InvariantCulture);

    /// <inheritdoc/>
    public override int ValueLength => Value.Length;

    /// <inheritdoc/>
    public override void WriteValue(Span<byte> destination) => Value.Span.CopyTo(destination);

    /// <inheritdoc/>
    protected override string FormatValue() => Convert.ToHexStringLower(Value.Span);
}
