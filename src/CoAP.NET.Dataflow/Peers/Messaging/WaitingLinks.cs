namespace CoAP.NET.Messaging;

/// <summary>Locates the links of waiting messages.</summary>
internal readonly struct WaitingLinks : ILinkAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.WaitingLinks;
}

/// <summary>Locates the links of outstanding messages.</summary>
internal readonly struct OutstandingLinks : ILinkAccessor<CoapTransmission>
{
    public static ref ListLinks<CoapTransmission> Of(CoapTransmission item) => ref item.OutstandingLinks;
}
