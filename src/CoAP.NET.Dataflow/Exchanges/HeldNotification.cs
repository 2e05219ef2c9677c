using CoAP.NET.Guarding;

namespace CoAP.NET.Exchanges;

/// <summary>A notification that waits for the adoption of its observation.</summary>
internal sealed class HeldNotification
{
    public HeldNotification(in CoapInbound item)
    {
        Item = item;
        Key = (item.Channel, item.Message!.Token);
        Holding = new SourceLedger<HeldNotification>.Holding(this,
            item.Channel.Shard.Environment.Sources.Of(item.Channel.Remote, item.Channel.Identity));
    }

    public CoapInbound Item { get; }

    public (CoapChannel Channel, CoapToken Token) Key { get; }

    public SourceLedger<HeldNotification>.Holding Holding { get; }
}
