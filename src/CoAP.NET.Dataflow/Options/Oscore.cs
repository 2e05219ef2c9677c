namespace CoAP.NET.Options;

/// <summary>
/// OSCORE: the message is protected, and this tells how (RFC 8613 section 2). 0 to 255 bytes. Nothing in this library acts on it by itself:
/// a message in which it is still there when requests and responses are checked counts as having an unrecognized critical option.
/// </summary>
public sealed class Oscore : OpaqueOption, ITypedOption<Oscore>
{
    /// <summary>Makes the option.</summary>
    /// <param name="value">The bytes, 0 to 255; copied.</param>
    /// <exception cref="ArgumentOutOfRangeException">There are more than 255 bytes.</exception>
    public Oscore(ReadOnlySpan<byte> value)
        : base(Definition, value.ToArray())
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.Oscore, "OSCORE", OptionFormat.Opaque, 0, 255, IsRepeatable: false, OptionUse.Both)
        {
            IsUnsupported = true,
            Protection = OptionProtection.Unprotected,
        };

    /// <inheritdoc/>
    public static Oscore Create(OptionData data) => new(data.Value);
}
