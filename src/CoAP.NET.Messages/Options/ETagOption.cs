namespace CoAP.NET;

/// <summary>ETag: distinguishes representations of a resource (RFC 7252 section 5.10.6).</summary>
/// <remarks>1 to 8 bytes; several in a request, at most one in a response.</remarks>
public sealed class ETagOption : OpaqueOption, ITypedOption<ETagOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="value">The bytes, 1 to 8; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are fewer than 1 or more than 8 bytes.</exception>
    public ETagOption(ReadOnlySpan<byte> value)
        : base(Definition, value.ToArray())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.ETag, "ETag", OptionFormat.Opaque, 1, 8, isRepeatable: true, OptionApplicability.Both)
        {
            // A response has one representation and so one tag; a request with tags does its own validation.
            IsSingleInResponse = true,
            Caching = OptionCachingInRequests.StoreOnly,
            IsInBodyKey = false,
        };

    /// <inheritdoc/>
    static ETagOption ITypedOption<ETagOption>.Create(OptionData data) => new(data.Value);
}
