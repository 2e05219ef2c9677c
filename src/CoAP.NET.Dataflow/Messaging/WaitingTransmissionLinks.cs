namespace CoAP.NET.Messaging;

/// <summary>The links of a transmission in the list of those that wait for their turn.</summary>
internal readonly struct WaitingTransmissionLinks : IListLinksAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.WaitingTransmissionLinks;
}

/// <summary>The links of a transmission in the list of those that wait for an acknowledgement.</summary>
internal readonly struct OutstandingTransmissionLinks : IListLinksAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.OutstandingTransmissionLinks;
}
