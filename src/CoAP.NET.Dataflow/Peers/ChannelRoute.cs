using CoAP.NET.Transports;

namespace CoAP.NET.Peers;

/// <summary>
/// Between which shard and which end of ours a peer's datagrams go: the same for many peers, so that each keeps one reference. Never
/// changed.
/// </summary>
internal sealed class ChannelRoute(CoapShard shard, CoapTransport transport, int tag, CoapAddress local)
{
    public CoapShard Shard { get; } = shard;

    public CoapTransport Transport { get; } = transport;

    /// <summary>The number by which the transport knows its own socket or connection.</summary>
    public int Tag { get; } = tag;

    /// <summary>Our address; the wildcard when the operating system chooses, or when it is not known yet.</summary>
    public CoapAddress Local { get; } = local;

    public bool Is(CoapTransport transport, int tag, in CoapAddress local) => Transport == transport && Tag == tag && Local == local;
}
