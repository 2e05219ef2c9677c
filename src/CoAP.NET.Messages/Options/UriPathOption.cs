namespace CoAP.NET;

/// <summary>Uri-Path: one segment of the absolute path to the resource (RFC 7252 section 5.10.1).</summary>
/// <remarks>Repeatable; 0 to 255 bytes; not percent-encoded.</remarks>
public sealed class UriPathOption : StringOption, ITypedOption<UriPathOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The segment, neither <c>.</c> nor <c>..</c>.</param>
    /// <exception cref="ArgumentException">The segment is <c>.</c> or <c>..</c>, which RFC 7252 section 5.10.1 forbids.</exception>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 255 bytes in UTF-8.</exception>
    public UriPathOption(string value)
        : base(Definition, PathSegmentValidator.Check(value, "Uri-Path", "RFC 7252 section 5.10.1"))
    {
    }

    private UriPathOption(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.UriPath, "Uri-Path", OptionFormat.String, 0, 255, isRepeatable: true, OptionApplicability.Request)
        {
            Caching = OptionCachingInRequests.Key,
            ForwardingInRequest = OptionForwarding.Consume,

            // A handler that maps paths to files must never see a dot segment.
            IsValid = static data => !data.Value.SequenceEqual("."u8) && !data.Value.SequenceEqual(".."u8),
        };

    /// <inheritdoc/>
    static UriPathOption ITypedOption<UriPathOption>.Create(OptionData data) => new(data);
}
