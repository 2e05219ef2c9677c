namespace CoAP.NET;

/// <summary>
/// Proxy-Uri: requests the resource of an absolute URI from a proxy, instead of all Uri options (RFC 7252 section 5.10.2).
/// </summary>
/// <remarks>1 to 1,034 bytes.</remarks>
public sealed class ProxyUriOption : StringOption, ITypedOption<ProxyUriOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The absolute URI, percent-encoded as usual.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer than 1 or more than 1034 bytes in UTF-8.</exception>
    public ProxyUriOption(string value)
        : base(Definition, value)
    {
    }

    private ProxyUriOption(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.ProxyUri, "Proxy-Uri", OptionFormat.String, 1, 1034, isRepeatable: false, OptionApplicability.Request)
        {
            Protection = OptionProtection.Unprotected,
            Caching = OptionCachingInRequests.Key,
            ForwardingInRequest = OptionForwarding.Consume,
            Special = RequestOptionFlags.Proxy,
        };

    /// <inheritdoc/>
    static ProxyUriOption ITypedOption<ProxyUriOption>.Create(OptionData data) => new(data);
}
