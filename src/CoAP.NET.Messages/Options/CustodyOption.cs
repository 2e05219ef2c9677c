namespace CoAP.NET.Options;

/// <summary>Custody: requests in a Ping, and confirms in a Pong, that earlier messages were processed (RFC 8323 section 5.4.1).</summary>
internal sealed class CustodyOption : EmptyOption, ITypedOption<CustodyOption>
{
    public CustodyOption()
        : base(Definition)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(2, "Custody", OptionFormat.Empty, 0, 0, isRepeatable: false, OptionApplicability.Signalling)
        {
            SignallingCode = CoapCode.Ping,
            SecondSignallingCode = CoapCode.Pong
        };

    /// <inheritdoc/>
    static CustodyOption ITypedOption<CustodyOption>.Create(OptionData data) => new();
}
