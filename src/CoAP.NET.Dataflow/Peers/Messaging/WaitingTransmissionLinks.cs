namespace CoAP.NET.Messaging;

internal readonly struct WaitingTransmissionLinks : ILinkAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.WaitingTransmissionLinks;
}

internal readonly struct OutstandingTransmissionLinks : ILinkAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.OutstandingTransmissionLinks;
}
