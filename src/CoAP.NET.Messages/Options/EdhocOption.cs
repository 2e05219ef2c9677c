namespace CoAP.NET;

/// <summary>EDHOC: the payload begins with EDHOC message_3 (RFC 9668 section 3.1).</summary>
/// <remarks>
/// This library does not process it itself: if it is still in a message when the library checks requests and responses, it counts as an
/// unrecognized critical option.
/// </remarks>
public sealed class EdhocOption : EmptyOption, ITypedOption<EdhocOption>
{
    /// <summary>Creates the option.</summary>
    public EdhocOption()
        : base(Definition)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Edhoc, "EDHOC", OptionFormat.Empty, 0, 0, isRepeatable: false, OptionApplicability.Request)
        {
            IsUnsupported = true,
            Protection = OptionProtection.Unprotected,
            Caching = OptionCachingInRequests.Bypass,
        };

    /// <inheritdoc/>
    static EdhocOption ITypedOption<EdhocOption>.Create(OptionData data) => new();
}
