namespace CoAP.NET.Peers;

/// <summary>
/// The last dropped message from or to a peer, for diagnostics. One object for each peer that ever had one. Not guarded: two threads may
/// write it at once, and the last one wins.
/// </summary>
internal sealed class LastDrop : IPeerFeatureState
{
    private int _count;

    /// <summary>Returns the last drop of a peer; null for none.</summary>
    public static LastDrop? Of(CoapChannel channel) => channel.FeatureState<LastDrop>(PeerFeatureKind.Diagnostics);

    public CoapCounter Reason { get; private set; }

    /// <summary>The time, in units of 100 ns.</summary>
    public long At { get; private set; }

    /// <summary>The approximate number of drops.</summary>
    public int Count => _count;

    public void Set(CoapCounter reason, long now)
    {
        Reason = reason;
        At = now;
        _count++;
    }
}
