using CoAP.NET.Exchanges;
using CoAP.NET.Transports;

namespace CoAP.NET.Mesh;

/// <summary>The seams of the pipeline, from the socket to user code and back.</summary>
public static class CoapSeams
{
    /// <summary>Inbound: datagrams as they came from the socket.</summary>
    public static CoapSeam<CoapDatagram> TransportToChannel { get; } = new("Transport to Channel");

    /// <summary>Inbound: datagrams with the channel of their peer.</summary>
    public static CoapSeam<CoapDatagram> ChannelToSerializer { get; } = new("Channel to Serializer");

    /// <summary>Inbound: messages and format errors, duplicates among them.</summary>
    public static CoapSeam<CoapInbound> SerializerToMessaging { get; } = new("Serializer to Messaging");

    /// <summary>Inbound: messages without duplicates, and what became of our own.</summary>
    public static CoapSeam<CoapInbound> MessagingToExchanges { get; } = new("Messaging to Exchanges");

    /// <summary>Inbound: requests to serve.</summary>
    public static CoapSeam<CoapExchange> ExchangesToResource { get; } = new("Exchanges to Resource");

    /// <summary>Outbound: what handlers answered.</summary>
    public static CoapSeam<CoapReply> ResourceToExchanges { get; } = new("Resource to Exchanges");

    /// <summary>Outbound: responses and requests, before they have a type and a Message ID.</summary>
    public static CoapSeam<CoapOutbound> ExchangesToMessaging { get; } = new("Exchanges to Messaging");

    /// <summary>Outbound: messages as they will be sent, acknowledgements, resets and retransmissions among them.</summary>
    public static CoapSeam<CoapOutbound> MessagingToSerializer { get; } = new("Messaging to Serializer");

    /// <summary>Outbound: the bytes of messages.</summary>
    public static CoapSeam<CoapDatagram> SerializerToChannel { get; } = new("Serializer to Channel");

    /// <summary>Outbound: addressed datagrams.</summary>
    public static CoapSeam<CoapDatagram> ChannelToTransport { get; } = new("Channel to Transport");
}
