namespace CoAP.NET.Options;

/// <summary>
/// Max-Message-Size: the maximum message size that the sender of a CSM accepts, in bytes with its header (RFC 8323 section 5.3.1).
/// </summary>
public sealed class MaxMessageSize : UIntOption, ITypedOption<MaxMessageSize>
{
    /// <summary>The size that applies before the CSM: 1,152 bytes (RFC 8323 section 5.3.1).</summary>
    public const uint BaseValue = 1152;

    /// <summary>Creates the option.</summary>
    /// <param name="value">The size in bytes.</param>
    public MaxMessageSize(uint value)
        : base(Definition, value)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(2, "Max-Message-Size", OptionFormat.UInt, 0, 4, IsRepeatable: false, OptionUse.Signalling) { SignallingCode = CoapCode.Csm };

    /// <inheritdoc/>
    public static MaxMessageSize Create(OptionData data) => new(data.GetUInt());
}
