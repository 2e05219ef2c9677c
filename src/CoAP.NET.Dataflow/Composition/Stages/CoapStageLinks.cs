namespace CoAP.NET;

/// <summary>The stage links of the pipeline, from the socket to user code and back.</summary>
public static class CoapStageLinks
{
    /// <summary>Inbound: datagrams as the socket delivered them.</summary>
    public static CoapStageLink<CoapDatagram> TransportToChannel { get; } = new("Transport to Channel");

    /// <summary>Inbound: datagrams with the channel of their peer.</summary>
    public static CoapStageLink<CoapDatagram> ChannelToSerializer { get; } = new("Channel to Serializer");

    /// <summary>Inbound: messages and format errors, including duplicates.</summary>
    public static CoapStageLink<CoapInbound> SerializerToMessaging { get; } = new("Serializer to Messaging");

    /// <summary>Inbound: messages without duplicates, and the outcome of messages that the endpoint sent.</summary>
    public static CoapStageLink<CoapInbound> MessagingToExchanges { get; } = new("Messaging to Exchanges");

    /// <summary>Inbound: requests that the endpoint serves.</summary>
    public static CoapStageLink<CoapExchange> ExchangesToResource { get; } = new("Exchanges to Resource");

    /// <summary>Outbound: answers of handlers.</summary>
    public static CoapStageLink<CoapServerReply> ResourceToExchanges { get; } = new("Resource to Exchanges");

    /// <summary>Outbound: responses and requests, before they get a type and a Message ID.</summary>
    public static CoapStageLink<CoapOutbound> ExchangesToMessaging { get; } = new("Exchanges to Messaging");

    /// <summary>Outbound: messages as they are sent, including acknowledgements, resets and retransmissions.</summary>
    public static CoapStageLink<CoapOutbound> MessagingToSerializer { get; } = new("Messaging to Serializer");

    /// <summary>Outbound: encoded messages.</summary>
    public static CoapStageLink<CoapDatagram> SerializerToChannel { get; } = new("Serializer to Channel");

    /// <summary>Outbound: addressed datagrams.</summary>
    public static CoapStageLink<CoapDatagram> ChannelToTransport { get; } = new("Channel to Transport");
}
