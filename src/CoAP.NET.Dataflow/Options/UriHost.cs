namespace CoAP.NET.Options;

/// <summary>
/// Uri-Host: the host of the resource, where it is not the IP address that the request is sent to (RFC 7252 section 5.10.1). 1 to 255
/// bytes.
/// </summary>
public sealed class UriHost : StringOption, ITypedOption<UriHost>
{
    /// <summary>Makes the option.</summary>
    /// <param name="value">The host in lower case, an IPv6 address in brackets; not percent-encoded.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer than 1 or more than 255 bytes in UTF-8.</exception>
    public UriHost(string value)
        : base(Definition, value)
    {
    }

    private UriHost(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.UriHost, "Uri-Host", OptionFormat.String, 1, 255, IsRepeatable: false, OptionUse.Request)
        {
            Protection = OptionProtection.Unprotected,
        };

    /// <inheritdoc/>
    public static UriHost Create(OptionData data) => new(data);
}
