namespace CoAP.NET.Messaging;

internal readonly struct WaitingLinks : ILinkAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.WaitingLinks;
}

internal readonly struct OutstandingLinks : ILinkAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.OutstandingLinks;
}
