namespace CoAP.NET.Messaging;

/// <summary>The links of a transmission in the list of those that wait for their turn.</summary>
internal readonly struct WaitingTransmissionLinksAccessor : IListLinksAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.WaitingTransmissionLinks;
}
