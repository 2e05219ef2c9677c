namespace CoAP.NET.Options;

/// <summary>No-Response: the classes of responses that the client does not want (RFC 7967 section 2).</summary>
/// <remarks>0 to 1 byte; an absent option means 0, none.</remarks>
public sealed class NoResponse : UIntOption, ITypedOption<NoResponse>
{
    /// <summary>Creates the option.</summary>
    /// <param name="classes">The unwanted classes.</param>
    public NoResponse(NoResponseClasses classes)
        : base(Definition, (uint)classes)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.NoResponse, "No-Response", OptionFormat.UInt, 0, 1, IsRepeatable: false, OptionUse.Request)
        {
            Caching = OptionCaching.Bypass,
            IsInBodyKey = false,
            ForwardingInRequest = OptionForwarding.Consume,
            Special = SpecialOptions.NoResponse,
        };

    /// <summary>The unwanted classes, including received bits without a meaning.</summary>
    public NoResponseClasses Classes => (NoResponseClasses)Value;

    /// <inheritdoc/>
    public static NoResponse Create(OptionData data) => new((NoResponseClasses)data.GetUInt());

    /// <summary>Returns whether a response is unwanted.</summary>
    /// <param name="code">The response code.</param>
    /// <returns>Whether the bit of its class is set; false for a code that is not a response code.</returns>
    public bool Suppresses(CoapCode code) => Suppresses(Classes, code);

    // The bit of a class is 2^(class - 1) (RFC 7967 section 2.1).
    internal static bool Suppresses(NoResponseClasses classes, CoapCode code) =>
        code.IsResponse && ((int)classes & (1 << (code.Class - 1))) != 0;
}
