namespace CoAP.NET.Messaging;

/// <summary>Messages that wait for their turn.</summary>
internal readonly struct WaitingPlace : IChainPlace<CoapTransmission>
{
    public static ref ChainLinks<CoapTransmission> Of(CoapTransmission item) => ref item.WaitingLinks;
}
