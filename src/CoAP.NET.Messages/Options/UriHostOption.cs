namespace CoAP.NET;

/// <summary>
/// Uri-Host: the host of the resource, if it differs from the destination IP address of the request (RFC 7252 section 5.10.1).
/// </summary>
/// <remarks>1 to 255 bytes.</remarks>
public sealed class UriHostOption : StringOption, ITypedOption<UriHostOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The host in lower case, an IPv6 address in brackets; not percent-encoded.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer than 1 or more than 255 bytes in UTF-8.</exception>
    public UriHostOption(string value)
        : base(Definition, value)
    {
    }

    private UriHostOption(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.UriHost, "Uri-Host", OptionFormat.String, 1, 255, isRepeatable: false, OptionApplicability.Request)
        {
            Protection = OptionProtection.Unprotected,
            Caching = OptionCachingInRequests.Key,
            ForwardingInRequest = OptionForwarding.Consume,
        };

    /// <inheritdoc/>
    static UriHostOption ITypedOption<UriHostOption>.Create(OptionData data) => new(data);
}
