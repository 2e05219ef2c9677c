namespace CoAP.NET;

/// <summary>Proxy-Scheme: requests the URI of the Uri options with this scheme from a proxy (RFC 7252 section 5.10.2).</summary>
/// <remarks>1 to 255 bytes.</remarks>
public sealed class ProxySchemeOption : StringOption, ITypedOption<ProxySchemeOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The scheme, such as <c>coap</c>; without a colon.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer than 1 or more than 255 bytes in UTF-8.</exception>
    public ProxySchemeOption(string value)
        : base(Definition, value)
    {
    }

    private ProxySchemeOption(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.ProxyScheme, "Proxy-Scheme", OptionFormat.String, 1, 255, isRepeatable: false, OptionApplicability.Request)
        {
            Protection = OptionProtection.Unprotected,
            Caching = OptionCachingInRequests.Key,
            ForwardingInRequest = OptionForwarding.Consume,
            Special = RequestOptionFlags.Proxy,
        };

    /// <inheritdoc/>
    static ProxySchemeOption ITypedOption<ProxySchemeOption>.Create(OptionData data) => new(data);
}
