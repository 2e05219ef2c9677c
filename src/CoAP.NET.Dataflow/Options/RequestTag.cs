namespace CoAP.NET.Options;

/// <summary>
/// Request-Tag: tells block-wise requests of one client from each other (RFC 9175 section 3.2.1). Repeatable; 0 to 8 bytes; an empty value
/// is another thing than no option.
/// </summary>
public sealed class RequestTag : OpaqueOption, ITypedOption<RequestTag>
{
    /// <summary>Makes the option.</summary>
    /// <param name="value">The bytes, 0 to 8; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 8 bytes.</exception>
    public RequestTag(ReadOnlySpan<byte> value)
        : base(Definition, value.ToArray())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.RequestTag, "Request-Tag", OptionFormat.Opaque, 0, 8, IsRepeatable: true, OptionUse.Request);

    /// <inheritdoc/>
    public static RequestTag Create(OptionData data) => new(data.Value);
}
