namespace CoAP.NET.Messaging;

internal readonly struct WaitingTransmissionLinks : IListLinksAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.WaitingTransmissionLinks;
}

internal readonly struct OutstandingTransmissionLinks : IListLinksAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.OutstandingTransmissionLinks;
}
