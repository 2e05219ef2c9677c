using CoAP.NET.Exchanges;

namespace CoAP.NET;

/// <summary>The seams of the pipeline, from the socket to user code and back.</summary>
public static class CoapSeams
{
    /// <summary>Inbound: datagrams as the socket delivered them.</summary>
    public static CoapSeam<CoapDatagram> TransportToChannel { get; } = new("Transport to Channel");

    /// <summary>Inbound: datagrams with the channel of their peer.</summary>
    public static CoapSeam<CoapDatagram> ChannelToSerializer { get; } = new("Channel to Serializer");

    /// <summary>Inbound: messages and format errors, including duplicates.</summary>
    public static CoapSeam<CoapInbound> SerializerToMessaging { get; } = new("Serializer to Messaging");

    /// <summary>Inbound: messages without duplicates, and the outcome of messages that the endpoint sent.</summary>
    public static CoapSeam<CoapInbound> MessagingToExchanges { get; } = new("Messaging to Exchanges");

    /// <summary>Inbound: requests that the endpoint serves.</summary>
    public static CoapSeam<CoapExchange> ExchangesToResource { get; } = new("Exchanges to Resource");

    /// <summary>Outbound: answers of handlers.</summary>
    public static CoapSeam<CoapReply> ResourceToExchanges { get; } = new("Resource to Exchanges");

    /// <summary>Outbound: responses and requests, before they get a type and a Message ID.</summary>
    public static CoapSeam<CoapOutbound> ExchangesToMessaging { get; } = new("Exchanges to Messaging");

    /// <summary>Outbound: messages as they are sent, including acknowledgements, resets and retransmissions.</summary>
    public static CoapSeam<CoapOutbound> MessagingToSerializer { get; } = new("Messaging to Serializer");

    /// <summary>Outbound: encoded messages.</summary>
    public static CoapSeam<CoapDatagram> SerializerToChannel { get; } = new("Serializer to Channel");

    /// <summary>Outbound: addressed datagrams.</summary>
    public static CoapSeam<CoapDatagram> ChannelToTransport { get; } = new("Channel to Transport");
}
