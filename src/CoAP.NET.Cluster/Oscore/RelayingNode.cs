using CoAP.NET.Peers;

namespace CoAP.NET.Cluster.Oscore;

/// <summary>The node that relays the datagrams of a peer. Created with the first of them.</summary>
internal sealed class RelayingNode : IPeerFeatureState
{
    private int _via;

    /// <summary>
    /// Returns the <see cref="CoapDatagram.Via"/> of the last datagram of a peer; 0 when it arrived here. The answers go the same way.
    /// </summary>
    public static int Of(CoapChannel channel) =>
        channel.FeatureState<RelayingNode>(PeerFeatureKind.Steering) is { } node ? Volatile.Read(ref node._via) : 0;

    /// <summary>Records the way of a datagram of a peer.</summary>
    public static void Set(CoapChannel channel, int via)
    {
        RelayingNode node = channel.GetOrAddFeatureState<RelayingNode>(PeerFeatureKind.Steering);
        Volatile.Write(ref node._via, via);
    }
}
