namespace CoAP.NET;

/// <summary>Location-Path: one segment of the path to a created resource (RFC 7252 section 5.10.7).</summary>
/// <remarks>Repeatable; 0 to 255 bytes; not percent-encoded.</remarks>
public sealed class LocationPathOption : StringOption, ITypedOption<LocationPathOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The segment, neither <c>.</c> nor <c>..</c>.</param>
    /// <exception cref="ArgumentException">The segment is <c>.</c> or <c>..</c>, which RFC 7252 section 5.10.7 forbids.</exception>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 255 bytes in UTF-8.</exception>
    public LocationPathOption(string value)
        : base(Definition, PathSegmentValidator.Check(value, "Location-Path", "RFC 7252 section 5.10.7"))
    {
    }

    private LocationPathOption(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.LocationPath, "Location-Path", OptionFormat.String, 0, 255, isRepeatable: true, OptionApplicability.Response);

    /// <inheritdoc/>
    static LocationPathOption ITypedOption<LocationPathOption>.Create(OptionData data) => new(data);
}
