namespace CoAP.NET.Options;

/// <summary>Alternative-Address: another address to connect to, in a Release message (RFC 8323 section 5.5).</summary>
/// <remarks>Repeatable; 1 to 255 bytes.</remarks>
internal sealed class AlternativeAddressOption : StringOption, ITypedOption<AlternativeAddressOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">Host and optional port, such as <c>[2001:db8::1]:5683</c>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer than 1 or more than 255 bytes in UTF-8.</exception>
    public AlternativeAddressOption(string value)
        : base(Definition, value)
    {
    }

    private AlternativeAddressOption(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(2, "Alternative-Address", OptionFormat.String, 1, 255, isRepeatable: true, OptionApplicability.Signalling)
        {
            SignallingCode = CoapCode.Release
        };

    /// <inheritdoc/>
    static AlternativeAddressOption ITypedOption<AlternativeAddressOption>.Create(OptionData data) => new(data);
}
