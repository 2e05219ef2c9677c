namespace CoAP.NET.Options;

/// <summary>Bad-CSM-Option: the number of the CSM option that was not understood, in an Abort message (RFC 8323 section 5.6).</summary>
internal sealed class BadCsmOption : UIntOption, ITypedOption<BadCsmOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The option number, 0 to 65,535.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number needs more than 2 bytes.</exception>
    public BadCsmOption(uint value)
        : base(Definition, value)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(2, "Bad-CSM-Option", OptionFormat.UInt, 0, 2, isRepeatable: false, OptionApplicability.Signalling)
        {
            SignallingCode =
            CoapCode.Abort
        };

    /// <inheritdoc/>
    static BadCsmOption ITypedOption<BadCsmOption>.Create(OptionData data) => new(data.GetUInt());
}
