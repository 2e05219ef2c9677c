using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>The effects of a shard that has the blocks of Messaging, and no stage above.</summary>
internal sealed class MessagingEffects(MessagingOutboundBlock outbound, MessagingInboundBlock inbound) : IShardEffects
{
    /// <summary>Makes blocks carry out the effects of their shard.</summary>
    public static void Attach(MessagingOutboundBlock outbound, MessagingInboundBlock inbound, MessageLayer layer)
    {
        outbound.Shard.Effects = new MessagingEffects(outbound, inbound);
        outbound.Shard.MessageTimers = layer;
        outbound.Shard.Eviction.Attach(layer);
    }

    void IShardEffects.Post(in CoapOutbound item) => outbound.OfferDecided(in item);

    void IShardEffects.Raise(in CoapInbound item) => inbound.Emit(item);

    void IShardEffects.Send(CoapTransmission transmission) => throw NoStage();

    void IShardEffects.Cancel(CoapTransmission transmission) => throw NoStage();

    void IShardEffects.Serve(CoapExchange exchange) => throw NoStage();

    void IShardEffects.Answer(CoapExchange exchange, CoapResult? result) => throw NoStage();

    void IShardEffects.KeepBytes(in CoapOutbound item, ReadOnlySpan<byte> bytes) => outbound.KeepBytes(in item, bytes);

    private static InvalidOperationException NoStage() => new("This shard has no Exchanges stage.");
}
