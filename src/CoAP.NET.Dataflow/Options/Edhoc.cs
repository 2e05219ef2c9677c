namespace CoAP.NET.Options;

/// <summary>
/// EDHOC: the payload begins with EDHOC message_3 (RFC 9668 section 3.1). Nothing in this library acts on it by itself: a message in which
/// it is still there when requests and responses are checked counts as having an unrecognized critical option.
/// </summary>
public sealed class Edhoc : EmptyOption, ITypedOption<Edhoc>
{
    /// <summary>Makes the option.</summary>
    public Edhoc()
        : base(Definition)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Edhoc, "EDHOC", OptionFormat.Empty, 0, 0, IsRepeatable: false, OptionUse.Request)
        {
            IsUnsupported = true,
            Protection = OptionProtection.Unprotected,
        };

    /// <inheritdoc/>
    public static Edhoc Create(OptionData data) => new();
}
