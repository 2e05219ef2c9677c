namespace CoAP.NET.Options;

/// <summary>
/// No-Response: which classes of responses the server need not send (RFC 7967 section 2). 0 to 1 byte; absent means 0: all are wanted.
/// </summary>
public sealed class NoResponse : UIntOption, ITypedOption<NoResponse>
{
    /// <summary>Makes the option.</summary>
    /// <param name="classes">The classes that are not wanted.</param>
    public NoResponse(NoResponseClasses classes)
        : base(Definition, (uint)classes)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(OptionNumber.NoResponse, "No-Response", OptionFormat.UInt, 0, 1, IsRepeatable: false, OptionUse.Request);

    /// <summary>The classes that are not wanted, with bits that mean nothing as they came.</summary>
    public NoResponseClasses Classes => (NoResponseClasses)Value;

    /// <inheritdoc/>
    public static NoResponse Create(OptionData data) => new((NoResponseClasses)data.GetUInt());

    /// <summary>Whether a response is not wanted.</summary>
    /// <param name="code">The response code.</param>
    /// <returns>Whether the bit of its class is set; false for a code that is no response code.</returns>
    public bool Suppresses(CoapCode code) => Suppresses(Classes, code);

    // The bit of a class is 2^(class - 1) (RFC 7967 section 2.1).
    internal static bool Suppresses(NoResponseClasses classes, CoapCode code) =>
        code.IsResponse && ((int)classes & (1 << (code.Class - 1))) != 0;
}
