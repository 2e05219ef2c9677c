namespace CoAP.NET.Options;

/// <summary>Custody: requests in a Ping, and confirms in a Pong, that earlier messages were processed (RFC 8323 section 5.4.1).</summary>
public sealed class Custody : EmptyOption, ITypedOption<Custody>
{
    /// <summary>Creates the option.</summary>
    public Custody()
        : base(Definition)
    {
    }

    /// <inheritdoc/>
    public static new OptionDefinition Definition { get; } =
        new(2, "Custody", OptionFormat.Empty, 0, 0, IsRepeatable: false, OptionUse.Signalling)
        {
            SignallingCode = CoapCode.Ping,
            SecondSignallingCode = CoapCode.Pong
        };

    /// <inheritdoc/>
    public static Custody Create(OptionData data) => new();
}
