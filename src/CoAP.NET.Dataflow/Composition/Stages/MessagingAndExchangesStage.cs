using CoAP.NET.Exchanges;
using CoAP.NET.Messaging;

namespace CoAP.NET.Composition.Stages;

/// <summary>
/// The Handler stage of the library: Messaging and Exchanges, with the Protection stage between them. It carries out the effects of its
/// shard: each member of <see cref="IShardEffects"/> here names the block that does.
/// </summary>
internal sealed class MessagingAndExchangesStage(
    MessagingInboundBlock messagingIn, ExchangesInboundBlock exchangesIn, ExchangesOutboundBlock exchangesOut,
    MessagingOutboundBlock messagingOut)
    : IShardEffects
{
    public MessagingInboundBlock MessagingIn => messagingIn;

    public ExchangesInboundBlock ExchangesIn => exchangesIn;

    public ExchangesOutboundBlock ExchangesOut => exchangesOut;

    public MessagingOutboundBlock MessagingOut => messagingOut;

    /// <summary>The inbound half as one block.</summary>
    public BuiltInStagesBlock<CoapInbound, CoapExchange> Inbound { get; } = new(messagingIn, exchangesIn);

    /// <summary>The outbound half as one block.</summary>
    public BuiltInStagesBlock<CoapServerReply, CoapOutbound> Outbound { get; } = new(exchangesOut, messagingOut);

    void IShardEffects.Post(in CoapOutbound item) => messagingOut.OfferDecided(in item);

    void IShardEffects.Raise(in CoapInbound item) => messagingIn.Emit(item);

    void IShardEffects.Send(CoapTransmission transmission) => exchangesOut.Send(transmission);

    void IShardEffects.Cancel(CoapTransmission transmission) => exchangesOut.Cancel(transmission);

    void IShardEffects.Serve(CoapExchange exchange) => exchangesIn.Emit(exchange);

    void IShardEffects.Answer(CoapExchange exchange, CoapResult? result) => exchangesIn.AnswerWaiting(exchange, result);

    void IShardEffects.KeepBytes(in CoapOutbound item, ReadOnlySpan<byte> bytes) => messagingOut.KeepBytes(in item, bytes);
}
