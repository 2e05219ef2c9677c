namespace CoAP.NET;

/// <summary>No-Response: the classes of responses that the client does not want (RFC 7967 section 2).</summary>
/// <remarks>0 to 1 byte; an absent option means 0, none.</remarks>
public sealed class NoResponseOption : UIntOption, ITypedOption<NoResponseOption>
{
    /// <summary>Creates the option.</summary>
    /// <param name="classes">The unwanted classes.</param>
    public NoResponseOption(NoResponseClasses classes)
        : base(Definition, (uint)classes)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.NoResponse, "No-Response", OptionFormat.UInt, 0, 1, isRepeatable: false, OptionApplicability.Request)
        {
            Caching = OptionCachingInRequests.Bypass,
            IsInBodyKey = false,
            ForwardingInRequest = OptionForwarding.Consume,
            Special = RequestOptionFlags.NoResponse,
        };

    /// <summary>The unwanted classes, including received bits without a meaning.</summary>
    internal NoResponseClasses Classes => (NoResponseClasses)Value;

    /// <inheritdoc/>
    static NoResponseOption ITypedOption<NoResponseOption>.Create(OptionData data) => new((NoResponseClasses)data.GetUInt());

    /// <summary>Returns whether a response is unwanted.</summary>
    /// <returns>Whether the bit of its class is set; false for a code that is not a response code.</returns>
    internal bool Suppresses(CoapCode code) => Suppresses(Classes, code);

    // The bit of a class is 2^(class - 1) (RFC 7967 section 2.1).
    internal static bool Suppresses(NoResponseClasses classes, CoapCode code) =>
        code.IsResponse && ((int)classes & (1 << (code.Class - 1))) != 0;
}
