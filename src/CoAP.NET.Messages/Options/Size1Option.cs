namespace CoAP.NET;

/// <summary>
/// Size1: the size of the request's body in bytes; in a 4.13 response the maximum accepted size (RFC 7252 section 5.10.9, RFC 7959 section
/// 4).
/// </summary>
public sealed class Size1Option : UIntOption, ITypedOption<Size1Option>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The size in bytes.</param>
    public Size1Option(uint value)
        : base(Definition, value)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Size1, "Size1", OptionFormat.UInt, 0, 4, isRepeatable: false, OptionApplicability.Both)
        {
            ForwardingInRequest = OptionForwarding.Consume,
        };

    /// <inheritdoc/>
    static Size1Option ITypedOption<Size1Option>.Create(OptionData data) => new(data.GetUInt());
}
