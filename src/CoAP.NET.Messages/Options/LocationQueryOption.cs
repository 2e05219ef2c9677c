namespace CoAP.NET;

/// <summary>Location-Query: one argument of the name of a created resource (RFC 7252 section 5.10.7).</summary>
/// <remarks>Repeatable; 0 to 255 bytes; not percent-encoded.</remarks>
public sealed class LocationQueryOption : StringOption, ITypedOption<LocationQueryOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The argument, such as <c>unit=C</c>.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 255 bytes in UTF-8.</exception>
    public LocationQueryOption(string value)
        : base(Definition, value)
    {
    }

    private LocationQueryOption(OptionData data)
        : base(Definition, data)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.LocationQuery, "Location-Query", OptionFormat.String, 0, 255, isRepeatable: true, OptionApplicability.Response);

    /// <inheritdoc/>
    static LocationQueryOption ITypedOption<LocationQueryOption>.Create(OptionData data) => new(data);
}
