using CoAP.NET.Settings;

namespace CoAP.NET.Proxy;

/// <summary>Limits of a proxy, in <see cref="CoapProxyOptions.Limits"/>.</summary>
[HasSettings]
public sealed partial class CoapProxyLimits
{
    internal CoapProxyLimits()
    {
    }

    /// <summary>The largest body that fits into blocks, in bytes (RFC 7959 section 2.2).</summary>
    internal const int MaxBlockwise = 1 << 30;

    /// <summary>The maximum number of pending requests.</summary>
    /// <remarks>Further requests get 5.03.</remarks>
    [NumberRange(1)]
    public partial int MaxRequests { get; set; } = 1000;

    /// <summary>The maximum number of pending requests per source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>A source also never gets more than its share of the free places.</remarks>
    [NumberRange(1)]
    public partial int MaxRequestsPerSource { get; set; } = 100;

    /// <summary>The maximum number of resources observed at servers for clients.</summary>
    /// <remarks>Above this number clients get a response without an observation.</remarks>
    [NumberRange(1)]
    public partial int MaxObservations { get; set; } = 1000;

    /// <summary>The maximum number of observed resources started by clients of one source.</summary>
    /// <remarks>A source also never gets more than its share of the free places.</remarks>
    [NumberRange(1)]
    public partial int MaxObservationsPerSource { get; set; } = 100;

    /// <summary>The largest body, in bytes, that the proxy buffers before it forwards it, 1 byte to 1 GiB.</summary>
    /// <remarks>
    /// It applies to bodies of requests and responses that cannot pass as a stream; see docs/proxies.md. Larger requests get 4.13, larger
    /// responses 5.02. Blocks cannot number more than 1 GiB (RFC 7959 section 2.2).
    /// </remarks>
    [NumberRange(1, MaxBlockwise, IsBytes = true)]
    public partial int MaxBodySize { get; set; } = 1024 * 1024;

    /// <summary>The largest body, in bytes, that the proxy buffers although it could pass as a stream.</summary>
    /// <remarks>
    /// A buffered response to a GET or FETCH can be cached and shared by several clients. A buffered request of POST, PUT, PATCH or iPATCH
    /// can be sent again. Larger bodies pass block by block, at the speed of the slower side, with a window in memory. A value of at least
    /// <see cref="MaxBodySize"/> turns streaming off for bodies up to that size.
    /// </remarks>
    [NumberRange(0, IsBytes = true)]
    public partial int StreamsAbove { get; set; } = 64 * 1024;

    /// <summary>
    /// The largest body that passes as a stream, in bytes. Default 1 GiB, the maximum that blocks can number (RFC 7959 section
    /// 2.2).
    /// </summary>
    /// <remarks>
    /// A client that reads a larger body gets 5.02 in place of the next block; a client that sends a larger one gets 4.13.
    /// </remarks>
    [NumberRange(1, IsBytes = true)]
    public partial long MaxStreamedBodySize { get; set; } = MaxBlockwise;

    /// <summary>The maximum number of bytes of cached responses (RFC 7252 section 5.6); 0 disables the cache.</summary>
    /// <remarks>
    /// The limit applies to forward and reverse proxies separately. Cached responses serve all clients. The proxy never caches responses of
    /// secured transports and OSCORE messages.
    /// </remarks>
    [NumberRange(0, IsBytes = true)]
    public partial long CacheBytes { get; set; } = 8 * 1024 * 1024;
}
