namespace CoAP.NET;

/// <summary>Size2: the size of the response's body in bytes; 0 in a request requests it (RFC 7959 section 4).</summary>
public sealed class Size2Option : UIntOption, ITypedOption<Size2Option>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The size in bytes.</param>
    public Size2Option(uint value)
        : base(Definition, value)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Size2, "Size2", OptionFormat.UInt, 0, 4, isRepeatable: false, OptionApplicability.Both)
        {
            ForwardingInRequest = OptionForwarding.Consume,
            ForwardingInResponse = OptionForwarding.Consume,
        };

    /// <inheritdoc/>
    static Size2Option ITypedOption<Size2Option>.Create(OptionData data) => new(data.GetUInt());
}
