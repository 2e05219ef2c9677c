namespace CoAP.NET;

/// <summary>Accept: the one Content-Format that the client wants; otherwise the server answers 4.06 (RFC 7252 section 5.10.4).</summary>
/// <remarks>0 to 2 bytes.</remarks>
public sealed class AcceptOption : UIntOption, ITypedOption<AcceptOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="format">The Content-Format, such as <see cref="CoapContentFormat.Json"/>.</param>
    public AcceptOption(CoapContentFormat format)
        : base(Definition, format.Value)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Accept, "Accept", OptionFormat.UInt, 0, 2, isRepeatable: false, OptionApplicability.Request);

    /// <summary>The Content-Format.</summary>
    public CoapContentFormat Format => new((ushort)Value);

    /// <inheritdoc/>
    static AcceptOption ITypedOption<AcceptOption>.Create(OptionData data) => new(new CoapContentFormat((ushort)data.GetUInt()));

    /// <inheritdoc/>
    protected override string FormatValue() => Format.ToString();
}
