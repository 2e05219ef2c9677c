namespace CoAP.NET.Options;

/// <summary>Uri-Query: one argument of the resource's name (RFC 7252 section 5.10.1).</summary>
/// <remarks>Repeatable; 0 to 255 bytes; not percent-encoded.</remarks>
public sealed class UriQuery : StringOption, ITypedOption<UriQuery>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The argument, such as <c>unit=C</c>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 255 bytes in UTF-8.</exception>
    public UriQuery(string value)
        : base(Definition, value)
    {
    }

    private UriQuery(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.UriQuery, "Uri-Query", OptionFormat.String, 0, 255, IsRepeatable: true, OptionUse.Request)
        {
            Caching = OptionCaching.Key,
            ForwardingInRequest = OptionForwarding.Consume,
        };

    /// <inheritdoc/>
    public static UriQuery Create(OptionData data) => new(data);
}
