namespace CoAP.NET;

/// <summary>Request-Tag: distinguishes block-wise requests of one client (RFC 9175 section 3.2.1).</summary>
/// <remarks>Repeatable; 0 to 8 bytes; an empty value is different from an absent option.</remarks>
public sealed class RequestTagOption : OpaqueOption, ITypedOption<RequestTagOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The bytes, 0 to 8; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 8 bytes.</exception>
    public RequestTagOption(ReadOnlySpan<byte> value)
        : base(Definition, value.ToArray())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.RequestTag, "Request-Tag", OptionFormat.Opaque, 0, 8, isRepeatable: true, OptionApplicability.Request)
        {
            ForwardingInRequest = OptionForwarding.Consume,
        };

    /// <inheritdoc/>
    static RequestTagOption ITypedOption<RequestTagOption>.Create(OptionData data) => new(data.Value);
}
