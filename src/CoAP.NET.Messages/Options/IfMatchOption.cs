namespace CoAP.NET;

/// <summary>
/// If-Match: the server executes the request only if the resource exists with one of these entity-tags; an empty value matches any (RFC
/// 7252 section 5.10.8.1).
/// </summary>
/// <remarks>Repeatable; 0 to 8 bytes.</remarks>
public sealed class IfMatchOption : OpaqueOption, ITypedOption<IfMatchOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The bytes, 0 to 8; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 8 bytes.</exception>
    public IfMatchOption(ReadOnlySpan<byte> value)
        : base(Definition, value.ToArray())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.IfMatch, "If-Match", OptionFormat.Opaque, 0, 8, isRepeatable: true, OptionApplicability.Request)
        {
            Caching = OptionCachingInRequests.Bypass,
            IsInBodyKey = false,
        };

    /// <inheritdoc/>
    static IfMatchOption ITypedOption<IfMatchOption>.Create(OptionData data) => new(data.Value);
}
