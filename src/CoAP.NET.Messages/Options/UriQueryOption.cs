namespace CoAP.NET;

/// <summary>Uri-Query: one argument of the resource's name (RFC 7252 section 5.10.1).</summary>
/// <remarks>Repeatable; 0 to 255 bytes; not percent-encoded.</remarks>
public sealed class UriQueryOption : StringOption, ITypedOption<UriQueryOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The argument, such as <c>unit=C</c>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 255 bytes in UTF-8.</exception>
    public UriQueryOption(string value)
        : base(Definition, value)
    {
    }

    private UriQueryOption(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.UriQuery, "Uri-Query", OptionFormat.String, 0, 255, isRepeatable: true, OptionApplicability.Request)
        {
            Caching = OptionCachingInRequests.Key,
            ForwardingInRequest = OptionForwarding.Consume,
        };

    /// <inheritdoc/>
    static UriQueryOption ITypedOption<UriQueryOption>.Create(OptionData data) => new(data);
}
