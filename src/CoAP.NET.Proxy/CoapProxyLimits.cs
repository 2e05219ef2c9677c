namespace CoAP.NET.Proxy;

/// <summary>Limits of a proxy, in <see cref="CoapProxyOptions.Limits"/>.</summary>
public sealed class CoapProxyLimits
{
    internal CoapProxyLimits()
    {
    }

    /// <summary>The largest body that fits into blocks, in bytes (RFC 7959 section 2.2).</summary>
    internal const int MaxBlockwise = 1 << 30;

    /// <summary>The maximum number of pending requests, 1 or more. Default 1,000.</summary>
    /// <remarks>Further requests get 5.03.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int MaxRequests { get; set => field = AtLeastOne(value); } = 1000;

    /// <summary>The maximum number of pending requests per source (<see cref="CoapQuotaSource"/>), 1 or more. Default 100.</summary>
    /// <remarks>A source also never gets more than half of the free places.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int MaxRequestsPerSource { get; set => field = AtLeastOne(value); } = 100;

    /// <summary>The maximum number of resources observed at servers for clients, 1 or more. Default 1,000.</summary>
    /// <remarks>Above this number clients get a response without an observation.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int MaxObservations { get; set => field = AtLeastOne(value); } = 1000;

    /// <summary>The maximum number of observed resources started by clients of one source, 1 or more. Default 100.</summary>
    /// <remarks>A source also never gets more than half of the free places.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public int MaxObservationsPerSource { get; set => field = AtLeastOne(value); } = 100;

    /// <summary>The largest body, in bytes, that the proxy buffers before it forwards it, 1 byte to 1 GiB. Default 1 MiB.</summary>
    /// <remarks>
    /// It applies to bodies of requests and responses that cannot pass as a stream; see docs/proxies.md. Larger requests get 4.13, larger
    /// responses 5.02. Blocks cannot number more than 1 GiB (RFC 7959 section 2.2).
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is not between 1 byte and 1 GiB.</exception>
    public int MaxBodySize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxBlockwise);
            field = value;
        }
    }
    = 1024 * 1024;

    /// <summary>The largest body, in bytes, that the proxy buffers although it could pass as a stream, 0 or more. Default 64 KiB.</summary>
    /// <remarks>
    /// A buffered response to a GET or FETCH can be cached and shared by several clients. A buffered request of POST, PUT, PATCH or iPATCH
    /// can be sent again. Larger bodies pass block by block, at the speed of the slower side, with a window in memory. A value of at least
    /// <see cref="MaxBodySize"/> turns streaming off for bodies up to that size.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 0.</exception>
    public int StreamsAbove
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    }
    = 64 * 1024;

    /// <summary>
    /// The largest body that passes as a stream, in bytes, 1 or more. Default 1 GiB, the maximum that blocks can number (RFC 7959 section
    /// 2.2).
    /// </summary>
    /// <remarks>
    /// A client that reads a larger body gets 5.02 in place of the next block; a client that sends a larger one gets 4.13.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1.</exception>
    public long MaxStreamedBodySize
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            field = value;
        }
    }
    = MaxBlockwise;

    /// <summary>
    /// The maximum number of bytes of cached responses (RFC 7252 section 5.6), 0 or more; 0 disables the cache. Default 8 MiB.
    /// </summary>
    /// <remarks>
    /// The limit applies to forward and reverse proxies separately. Cached responses serve all clients. The proxy never caches responses of
    /// secured transports and OSCORE messages.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 0.</exception>
    public long CacheBytes
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            field = value;
        }
    }
    = 8 * 1024 * 1024;

    private static int AtLeastOne(int value)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
        return value;
    }
}
