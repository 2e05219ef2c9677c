using System.Threading.Tasks.Dataflow;

namespace CoAP.NET;

/// <summary>The stages that an application can replace.</summary>
/// <remarks>
/// A transport of your own replaces the Transport stage: a class (<see cref="CoapTransport"/>), or a block
/// (<see cref="CoapDataflowBlockTransport"/>).
/// </remarks>
public static class CoapStages
{
    /// <summary>
    /// Protects requests and responses end to end, as OSCORE (RFC 8613), between Messaging and Exchanges in both directions.
    /// </summary>
    /// <remarks>
    /// The mesh has no such stage by default. Blocks at <see cref="CoapStageLinks.MessagingToExchanges"/> and
    /// <see cref="CoapStageLinks.ExchangesToMessaging"/> see plain messages.
    /// </remarks>
    internal static CoapStage<CoapMessageProtector> Protection { get; } = new(nameof(Protection));

    /// <summary>Finds the peer of a datagram, and the address of a peer; replace it to know peers by something else.</summary>
    /// <remarks>
    /// The two blocks must keep these rules, in addition to those of <see cref="CoapPipelineOptions.Replace"/>:
    /// <list type="bullet">
    /// <item>The inbound block sets <see cref="CoapDatagram.Channel"/> by <see cref="CoapStageContext.TryAttach"/>. A datagram without a
    /// channel is attached afterwards by its address.</item>
    /// <item>The outbound block sets <see cref="CoapDatagram.Remote"/> and the other addresses, usually by
    /// <see cref="CoapStageContext.Address"/> and a change of the result.</item>
    /// <item>Frames of connections and datagrams of sessions have their channel already. Pass them on.</item>
    /// <item>The address of the transport chooses the shard. A peer that changes its address needs an endpoint with one shard, which is the
    /// default.</item>
    /// </list>
    /// </remarks>
    public static CoapStage<CoapChannelStageBlocks> Channel { get; } = new(nameof(Channel));

    /// <summary>
    /// Matches messages and exchanges (RFC 7252 sections 4 and 5): reliability, duplicates, blocks, observers; replace it for a protocol of
    /// your own between messages and requests.
    /// </summary>
    /// <remarks>
    /// The inbound block gets each message of a peer, also acknowledgements, responses and, on connections, signalling messages, and
    /// returns the requests to serve. The outbound block gets the answers and returns messages with type, Message ID and token.
    /// <list type="bullet">
    /// <item>Pass items on to <see cref="CoapStageContext.Handler"/> for what the library does. What you do not pass on, it does not know:
    /// without its messages there are no requests and observations of this endpoint, no connections (RFC 8323 section 5.3 needs the CSM),
    /// no blocks, and no duplicates are found.</item>
    /// <item><see cref="CoapExchange.Begin(CoapInbound)"/> makes exchanges, and <see cref="CoapServerReply.ToMessage"/> responses, for what
    /// you do not pass on.</item>
    /// <item>An exchange whose request the Resource stage refuses comes back as an answer 5.03.</item>
    /// </list>
    /// </remarks>
    public static CoapStage<CoapHandlerStageBlocks> Handler { get; } = new(nameof(Handler));

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
    public static CoapStage<CoapSerializerStageBlocks> Serializer { get; } = new("Serializer");

    /// <summary>Answers requests; replace it for a router of your own in place of routes, filters and handlers.</summary>
    /// <remarks>
    /// The block returns one <see cref="CoapServerReply"/> for each <see cref="CoapExchange"/>, in any order and from any thread. If it
    /// returns several for one exchange, the first counts. Without a reply the peer waits forever, and the exchange counts as being served.
    /// The library still enforces <see cref="CoapRequestLimits.MaxServed"/> and its shares. It answers requests beyond the limit, or during
    /// a stop, with 5.03. It also provides <see cref="CoapRequestContext.Aborted"/>, bodies in blocks up to
    /// <see cref="CoapBlockwiseLimits.MaxRequestBodySize"/> in both directions, and answers to duplicates. It does not check methods, paths
    /// and formats, does not list resources in <c>/.well-known/core</c>, and keeps no observers: a request with Observe is served like one
    /// without. Mapping a route on such an endpoint is an error.
    /// </remarks>
    public static CoapStage<IPropagatorBlock<CoapExchange, CoapServerReply>> Resource { get; } = new("Resource");
}
