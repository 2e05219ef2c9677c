namespace CoAP.NET;

/// <summary>OSCORE: how the message is protected (RFC 8613 section 2).</summary>
/// <remarks>
/// 0 to 255 bytes. This library does not process it itself: if it is still in a message when the library checks requests and responses, it
/// counts as an unrecognized critical option.
/// </remarks>
public sealed class OscoreOption : OpaqueOption, ITypedOption<OscoreOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The bytes, 0 to 255; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 255 bytes.</exception>
    public OscoreOption(ReadOnlySpan<byte> value)
        : base(Definition, value.ToArray())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Oscore, "OSCORE", OptionFormat.Opaque, 0, 255, isRepeatable: false, OptionApplicability.Both)
        {
            IsUnsupported = true,
            Protection = OptionProtection.Unprotected,
            Caching = OptionCachingInRequests.Bypass,
            Storing = OptionCachingInResponses.Forbid,
        };

    /// <inheritdoc/>
    static OscoreOption ITypedOption<OscoreOption>.Create(OptionData data) => new(data.Value);
}
