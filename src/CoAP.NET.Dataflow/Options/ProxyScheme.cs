namespace CoAP.NET.Options;

/// <summary>Proxy-Scheme: asks a proxy for the URI of the Uri options with this scheme (RFC 7252 section 5.10.2). 1 to 255 bytes.</summary>
public sealed class ProxyScheme : StringOption, ITypedOption<ProxyScheme>
{
    /// <summary>Makes the option.</summary>
    /// <param name="value">The scheme, such as <c>coap</c>; without a colon.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer than 1 or more than 255 bytes in UTF-8.</exception>
    public ProxyScheme(string value)
        : base(Definition, value)
    {
    }

    private ProxyScheme(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.ProxyScheme, "Proxy-Scheme", OptionFormat.String, 1, 255, IsRepeatable: false, OptionUse.Request)
        {
            Protection = OptionProtection.Unprotected,
        };

    /// <inheritdoc/>
    public static ProxyScheme Create(OptionData data) => new(data);
}
