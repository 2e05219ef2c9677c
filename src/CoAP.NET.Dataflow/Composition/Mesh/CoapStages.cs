using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>The stages that an application can replace.</summary>
/// <remarks>
/// The other stages cannot be replaced. To replace Transport, write a transport (<see cref="Transports.CoapTransport"/>). Channel,
/// Messaging and Exchanges implement the protocol.
/// </remarks>
public static class CoapStages
{
    /// <summary>
    /// Protects requests and responses end to end, as OSCORE (RFC 8613), between Messaging and Exchanges in both directions.
    /// </summary>
    /// <remarks>
    /// The mesh has no such stage by default. Blocks at <see cref="CoapSeams.MessagingToExchanges"/> and
    /// <see cref="CoapSeams.ExchangesToMessaging"/> see plain messages.
    /// </remarks>
    public static CoapStage<CoapProtection> Protection { get; } = new(nameof(Protection));

    /// <summary>Translates between bytes and messages in both directions; replace it for a wire format of your own.</summary>
    /// <remarks>
    /// The two blocks must keep these rules, in addition to those of <see cref="CoapPipelineOptions.Replace"/>:
    /// <list type="bullet">
    /// <item>The block takes over each <see cref="CoapDatagram"/> that enters. <see cref="CoapStageContext.Received"/> and
    /// <see cref="CoapStageContext.Malformed"/> return it; dispose a datagram that you ignore.</item>
    /// <item>Messages keep type, Message ID, code and token, because Messaging and Exchanges match by them (RFC 7252 sections 4.4 and
    /// 5.3).</item>
    /// <item>A <see cref="CoapOutbound"/> with <see cref="CoapOutbound.Encoded"/> is a copy and leaves with these bytes (RFC 7252 section
    /// 4.2). <see cref="CoapStageContext.Encoded"/> turns all others into datagrams and keeps the bytes for copies. Pass a message that
    /// your format cannot express to <see cref="CoapStageContext.EncodeFailed"/>.</item>
    /// <item>Blocks see only the bytes of whole messages. On TCP and TLS the endpoint cuts frames by their length (RFC 8323 section 3.2)
    /// before the block gets the bytes. Your format must therefore begin with that length, and the first message of each side is a CSM. On
    /// WebSockets one WebSocket message is one message of yours; in DTLS one record is. The block gets everything that a peer sends,
    /// including signalling messages.</item>
    /// <item>Bodies are cut into blocks by the size in the standard format. A format that adds bytes needs room: set
    /// <see cref="CoapTransmissionParameters.MaxMessageSize"/>.</item>
    /// </list>
    /// </remarks>
    public static CoapStage<CoapSerializerBlocks> Serializer { get; } = new("Serializer");

    /// <summary>Answers requests; replace it for a router of your own in place of routes, filters and handlers.</summary>
    /// <remarks>
    /// The block returns one <see cref="CoapReply"/> for each <see cref="CoapExchange"/>, in any order and from any thread. If it returns
    /// several for one exchange, the first counts. Without a reply the peer waits forever, and the exchange counts as being served. The
    /// library still enforces <see cref="CoapLimits.MaxRequestsServed"/> and its shares. It answers requests beyond the limit, or during a
    /// stop, with 5.03. It also provides <see cref="CoapRequest.Aborted"/>, bodies in blocks up to <see cref="CoapLimits.MaxBodySize"/> in
    /// both directions, and answers to duplicates. It does not check methods, paths and formats, does not list resources in
    /// <c>/.well-known/core</c>, and keeps no observers: a request with Observe is served like one without. Mapping a route on such an
    /// endpoint is an error.
    /// </remarks>
    public static CoapStage<IPropagatorBlock<CoapExchange, CoapReply>> Resource { get; } = new("Resource");
}
