namespace CoAP.NET.Peers;

/// <summary>
/// The last dropped message of a peer. One object for each peer that ever had one. Two threads may write it at once; the last one wins.
/// </summary>
internal sealed class LastDrop
{
    private int _count;

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
