namespace CoAP.NET.Options;

/// <summary>
/// Max-Message-Size: the maximum message size that the sender of a CSM accepts, in bytes with its header (RFC 8323 section 5.3.1).
/// </summary>
internal sealed class MaxMessageSizeOption : UIntOption, ITypedOption<MaxMessageSizeOption>
{
    /// <summary>The size that applies before the CSM: 1,152 bytes (RFC 8323 section 5.3.1).</summary>
    public const uint BaseValue = 1152;

    /// <summary>Creates the option.</summary>
    /// <param name="value">The size in bytes.</param>
    public MaxMessageSizeOption(uint value)
        : base(Definition, value)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(2, "Max-Message-Size", OptionFormat.UInt, 0, 4, isRepeatable: false, OptionApplicability.Signalling)
        {
            SignallingCode =
            CoapCode.Csm
        };

    /// <inheritdoc/>
    static MaxMessageSizeOption ITypedOption<MaxMessageSizeOption>.Create(OptionData data) => new(data.GetUInt());
}
