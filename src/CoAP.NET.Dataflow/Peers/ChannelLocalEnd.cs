namespace CoAP.NET.Peers;

/// <summary>The shard and local end of a peer's datagrams. Many peers share one route, so each keeps one reference. Immutable.</summary>
internal sealed class ChannelLocalEnd(CoapShard shard, CoapTransport transport, int tag, CoapAddress local)
{
    public CoapShard Shard { get; } = shard;

    public CoapTransport Transport { get; } = transport;

    /// <summary>Identifies the socket or connection within the transport.</summary>
    public int Tag { get; } = tag;

    /// <summary>The local address; the wildcard when the operating system chooses, or when it is not known yet.</summary>
    public CoapAddress Local { get; } = local;

    public bool Is(CoapTransport transport, int tag, in CoapAddress local) => Transport == transport && Tag == tag && Local == local;
}
