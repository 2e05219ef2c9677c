namespace CoAP.NET.Exchanges;

/// <summary>A notification that waits for the resumption of its observation.</summary>
internal sealed class UnmatchedNotification(in CoapInbound item)
    : SourceQueue<(CoapChannel Channel, CoapToken Token), UnmatchedNotification>.Item(
    (item.Channel, item.Message!.Token), item.Channel.Shard.Environment.Sources.Of(item.Channel.Remote, item.Channel.PeerId), cost: 1)
{
    public CoapInbound Inbound { get; } = item;
}
