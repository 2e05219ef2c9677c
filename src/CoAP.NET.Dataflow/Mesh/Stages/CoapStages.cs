using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Mesh;

/// <summary>
/// The stages that blocks of yours can take the place of. The others cannot be replaced: Transport is replaced by a transport of your own
/// (<see cref="Transports.CoapTransport"/>), and Channel, Messaging and Exchanges are the protocol.
/// </summary>
public static class CoapStages
{
    /// <summary>
    /// Between Messaging and Exchanges, in both directions: protection of requests and responses end to end, as OSCORE (RFC 8613). There is
    /// none by default, and nothing stands in its place then. Blocks at <see cref="CoapSeams.MessagingToExchanges"/> and
    /// <see cref="CoapSeams.ExchangesToMessaging"/> see plain messages.
    /// </summary>
    public static CoapStage<CoapProtection> Protection { get; } = new(nameof(Protection));

    /// <summary>
    /// Between bytes and messages, in both directions: a wire format of your own. What the two blocks must keep, beside the rules of
    /// <see cref="CoapPipelineOptions.Replace"/>:
    /// <list type="bullet">
    /// <item>Each <see cref="CoapDatagram"/> that comes in is taken over: <see cref="CoapStageContext.Received"/> and
    /// <see cref="CoapStageContext.Malformed"/> give it back; whoever ignores one disposes it.</item>
    /// <item>Messages keep type, Message ID, code and token: Messaging and Exchanges match by them (RFC 7252 sections 4.4 and 5.3).</item>
    /// <item>A <see cref="CoapOutbound"/> with <see cref="CoapOutbound.Encoded"/> is a copy and leaves with these bytes (RFC 7252 section
    /// 4.2). All others become a datagram by <see cref="CoapStageContext.Encoded"/>, which keeps the bytes for copies; what has no form in
    /// your format goes to <see cref="CoapStageContext.EncodeFailed"/>.</item>
    /// <item>Blocks see only bytes of whole messages. On TCP and TLS frames are cut by their length as RFC 8323 section 3.2 says, before
    /// the bytes come here, so what you write there must begin with that length; the first message of each side is a CSM. On WebSockets a
    /// message of theirs is one of yours, and in DTLS a record. Everything a peer sends comes here, signalling messages too.</item>
    /// <item>Bodies are cut into blocks by the size that the standard format would have. A format that adds to it needs room:
    /// <see cref="CoapTransmissionParameters.MaxMessageSize"/>.</item>
    /// </list>
    /// </summary>
    public static CoapStage<CoapSerializerBlocks> Serializer { get; } = new("Serializer");

    /// <summary>
    /// From a request to its answer: a router of your own in place of routes, filters and handlers. The block gives one
    /// <see cref="CoapReply"/> for each <see cref="CoapExchange"/>, in any order and from any thread; of several for one exchange the first
    /// counts. Without one the peer waits for ever, and the exchange counts as being served. What the library does nevertheless:
    /// <see cref="CoapLimits.MaxRequestsServed"/> and its shares, 5.03 for what comes beyond and when the endpoint stops,
    /// <see cref="CoapRequest.Aborted"/>, bodies in blocks up to <see cref="CoapLimits.MaxBodySize"/> in both directions, and answers to
    /// duplicates. What it does not: check methods, paths and formats, list resources in <c>/.well-known/core</c>, and observers: a request
    /// with Observe is served as one without. Mapping a route on such an endpoint is an error.
    /// </summary>
    public static CoapStage<IPropagatorBlock<CoapExchange, CoapReply>> Resource { get; } = new("Resource");
}
