namespace CoAP.NET;

/// <summary>Content-Format: the format of the payload (RFC 7252 section 5.10.3).</summary>
/// <remarks>0 to 2 bytes. An absent option is different from 0.</remarks>
public sealed class ContentFormatOption : UIntOption, ITypedOption<ContentFormatOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="format">The Content-Format, such as <see cref="CoapContentFormat.Json"/>.</param>
    public ContentFormatOption(CoapContentFormat format)
        : base(Definition, format.Value)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.ContentFormat, "Content-Format", OptionFormat.UInt, 0, 2, isRepeatable: false, OptionApplicability.Both)
        {
            // A block-wise transfer compares it by itself (RFC 7959 section 2.3).
            IsInBodyKey = false,
        };

    /// <summary>The Content-Format.</summary>
    public CoapContentFormat Format => new((ushort)Value);

    /// <inheritdoc/>
    static ContentFormatOption ITypedOption<ContentFormatOption>.Create(OptionData data) =>
        new(new CoapContentFormat((ushort)data.GetUInt()));

    /// <inheritdoc/>
    protected override string FormatValue() => Format.ToString();
}
