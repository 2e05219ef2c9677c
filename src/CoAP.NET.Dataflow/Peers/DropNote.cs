namespace CoAP.NET.Peers;

/// <summary>
/// What was dropped last of a peer. One object for each peer that ever had something dropped; two threads may write it at once, and the
/// last one counts.
/// </summary>
internal sealed class DropNote
{
    private int _count;

    /// <summary>Why: what counted it.</summary>
    public CoapCounter Reason { get; private set; }

    /// <summary>When, in units of 100 ns.</summary>
    public long At { get; private set; }

    /// <summary>How many there were, about.</summary>
    public int Count => _count;

    public void Set(CoapCounter reason, long now)
    {
        Reason = reason;
        At = now;
        _count++;
    }
}
