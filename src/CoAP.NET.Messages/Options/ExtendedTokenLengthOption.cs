namespace CoAP.NET.Options;

/// <summary>Extended-Token-Length: the maximum token length that the sender of a CSM accepts, in bytes (RFC 8974 section 2.2.1).</summary>
/// <remarks>0 to 3 bytes; an absent option means 8.</remarks>
internal sealed class ExtendedTokenLengthOption : UIntOption, ITypedOption<ExtendedTokenLengthOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="length">The length in bytes, 8 to 65,804.</param>
    /// <exception cref="ArgumentOutOfRangeException">The length is out of range.</exception>
    public ExtendedTokenLengthOption(int length)
        : base(Definition, Check(length))
    {
    }

    private ExtendedTokenLengthOption(OptionData data)
        : base(Definition, data.GetUInt())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(6, "Extended-Token-Length", OptionFormat.UInt, 0, 3, isRepeatable: false, OptionApplicability.Signalling)
        {
            SignallingCode = CoapCode.Csm
        };

    /// <summary>
    /// The token length that results for the receiver: it ignores a value below 8 (null), and one above 65,804 means 65,804 (RFC 8974
    /// section 2.2.1).
    /// </summary>
    public int? TokenLength => Value < CoapToken.MaxLength ? null : (int)Math.Min(Value, CoapToken.MaxExtendedLength);

    /// <inheritdoc/>
    static ExtendedTokenLengthOption ITypedOption<ExtendedTokenLengthOption>.Create(OptionData data) => new(data);

    private static uint Check(int length)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(length, CoapToken.MaxLength);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(length, CoapToken.MaxExtendedLength);
        return (uint)length;
    }
}
