namespace CoAP.NET.Options;

/// <summary>Hold-Off: the time to wait before connecting again, in seconds, in a Release message (RFC 8323 section 5.5).</summary>
/// <remarks>0 to 3 bytes.</remarks>
internal sealed class HoldOffOption : UIntOption, ITypedOption<HoldOffOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="seconds">The time in seconds, 0 to 16,777,215.</param>
    /// <exception cref="ArgumentOutOfRangeException">The number needs more than 3 bytes.</exception>
    public HoldOffOption(uint seconds)
        : base(Definition, seconds)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(4, "Hold-Off", OptionFormat.UInt, 0, 3, isRepeatable: false, OptionApplicability.Signalling)
        {
            SignallingCode =
            CoapCode.Release
        };

    public TimeSpan Duration => TimeSpan.FromSeconds(Value);

    /// <inheritdoc/>
    static HoldOffOption ITypedOption<HoldOffOption>.Create(OptionData data) => new(data.GetUInt());

    /// <inheritdoc/>
    protected override string FormatValue() => base.FormatValue() + " s";
}
