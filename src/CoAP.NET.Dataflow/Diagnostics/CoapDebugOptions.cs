namespace CoAP.NET;

/// <summary>Who may read the debug resource (<see cref="CoapDebugExtensions.MapDebug"/>), and how much of it.</summary>
public sealed class CoapDebugOptions
{
    /// <summary>
    /// Says whether a peer may read it; asked for each request. Default: null, peers at a loopback address and those over a secured
    /// transport.
    /// </summary>
    public Func<CoapPeer, bool>? Allow { get; set; }

    /// <summary>How many peers an answer shows at most; a request may ask for less by <c>?max=</c>. Default 100; at least 1.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1.</exception>
    public int MaxPeers
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    }
    = 100;
}
