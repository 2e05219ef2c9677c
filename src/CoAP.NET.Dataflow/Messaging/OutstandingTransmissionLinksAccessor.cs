namespace CoAP.NET.Messaging;

/// <summary>The links of a transmission in the list of those that wait for an acknowledgement.</summary>
internal readonly struct OutstandingTransmissionLinksAccessor : IListLinksAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.OutstandingTransmissionLinks;
}
