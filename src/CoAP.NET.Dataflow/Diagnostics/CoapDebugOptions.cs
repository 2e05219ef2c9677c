namespace CoAP.NET;

/// <summary>The access rules of the debug resource (<see cref="CoapDebugExtensions.MapDebug"/>), and its size limit.</summary>
public sealed class CoapDebugOptions
{
    /// <summary>Decides for each request whether a peer may read it.</summary>
    /// <remarks>Default: null, peers at a loopback address and those over a secured transport.</remarks>
    public Func<CoapPeer, bool>? Allow { get; set; }

    /// <summary>The maximum number of peers in a response; a request may ask for fewer with <c>?max=</c>.</summary>
    /// <remarks>Default 100; at least 1.</remarks>
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
