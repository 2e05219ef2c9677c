namespace CoAP.NET.Channels;

/// <summary>The outbound half of the Channel stage: addresses a datagram to the peer of its channel.</summary>
internal sealed class ChannelOutboundBlock : InlineBlock<CoapDatagram, CoapDatagram>
{
    internal ChannelOutboundBlock(CoapShard shard)
        : base(shard.Environment.Counters, shard.Environment.Logger)
    {
    }

    internal override void Process(CoapDatagram item)
    {
        Address(item);
        Offer(item);
    }

    internal static void Address(CoapDatagram item)
    {
        if (item.Channel is { IsReliable: true, Connection: { } connection })
        {
            // The connection knows its addresses.
            item.Transport = connection.Transport;
        }
        else if (item.Channel is { } channel)
        {
            item.Remote = channel.Remote;
            item.Local = channel.Local;
            item.Transport = channel.Transport;
            item.TransportTag = channel.TransportTag;
        }
    }
}
