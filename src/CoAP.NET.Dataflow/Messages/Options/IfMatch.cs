namespace CoAP.NET.Options;

/// <summary>
/// If-Match: the server executes the request only if the resource exists with one of these entity-tags; an empty value matches any (RFC
/// 7252 section 5.10.8.1).
/// </summary>
/// <remarks>Repeatable; 0 to 8 bytes.</remarks>
public sealed class IfMatch : OpaqueOption, ITypedOption<IfMatch>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The bytes, 0 to 8; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 8 bytes.</exception>
    public IfMatch(ReadOnlySpan<byte> value)
        : base(Definition, value.ToArray())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.IfMatch, "If-Match", OptionFormat.Opaque, 0, 8, IsRepeatable: true, OptionUse.Request)
        {
            Caching = OptionCaching.Bypass,
            IsInBodyKey = false,
        };

    /// <inheritdoc/>
    public static IfMatch Create(OptionData data) => new(data.Value);
}
