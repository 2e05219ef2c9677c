namespace CoAP.NET.Messaging;

/// <summary>Locates the links of waiting messages.</summary>
internal readonly struct WaitingPlace : IChainPlace<CoapTransmission>
{
    public static ref ChainLinks<CoapTransmission> Of(CoapTransmission item) => ref item.WaitingLinks;
}

/// <summary>Locates the links of outstanding messages.</summary>
internal readonly struct OutstandingPlace : IChainPlace<CoapTransmission>
{
    public static ref ChainLinks<CoapTransmission> Of(CoapTransmission item) => ref item.OutstandingLinks;
}
