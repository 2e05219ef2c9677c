namespace CoAP.NET;

/// <summary>If-None-Match: the server executes the request only if the resource does not exist (RFC 7252 section 5.10.8.2).</summary>
public sealed class IfNoneMatchOption : EmptyOption, ITypedOption<IfNoneMatchOption>
{
    /// <summary>Creates the option.</summary>
    public IfNoneMatchOption()
        : base(Definition)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.IfNoneMatch, "If-None-Match", OptionFormat.Empty, 0, 0, isRepeatable: false, OptionApplicability.Request)
        {
            Caching = OptionCachingInRequests.Bypass,

            // Only the first block has it (RFC 7959 section 2.10).
            IsInBodyKey = false,
        };

    /// <inheritdoc/>
    static IfNoneMatchOption ITypedOption<IfNoneMatchOption>.Create(OptionData data) => new();
}
