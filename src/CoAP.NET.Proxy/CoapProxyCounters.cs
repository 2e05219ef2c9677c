namespace CoAP.NET.Proxy;

/// <summary>Counters of a proxy since its start; see <see cref="CoapProxy.GetCounters"/>.</summary>
internal sealed class CoapProxyCounters
{
    public long Requests { get; init; }

    public long Forwarded { get; init; }

    /// <summary>The current number of pending requests.</summary>
    public int InProgress { get; init; }

    /// <summary>The current number of registrations at servers, made for clients that observe through the proxy.</summary>
    public int Observations { get; init; }

    /// <summary>Requests refused because their target, or an address of its name, is not allowed (5.05).</summary>
    public long TargetsDenied { get; init; }

    /// <summary>Requests refused because of an option that is unsafe to forward (4.02).</summary>
    public long UnsafeOptions { get; init; }

    /// <summary>Requests challenged with an Echo because the address of their client was not verified (4.01).</summary>
    public long Challenges { get; init; }

    /// <summary>Requests refused for lack of room (5.03).</summary>
    public long Busy { get; init; }

    /// <summary>Requests that ran out of hops, and responses of other proxies that report this (5.08).</summary>
    public long HopLimits { get; init; }

    /// <summary>Requests that timed out (5.04).</summary>
    public long Timeouts { get; init; }

    /// <summary>Requests that shared the response to an equal pending request of another client.</summary>
    public long Shared { get; init; }

    /// <summary>Responses passed on as a stream because they were larger than <see cref="CoapProxyLimits.StreamsAbove"/>.</summary>
    public long Streamed { get; init; }

    /// <summary>
    /// Requests whose bodies passed as a stream because they were larger than <see cref="CoapProxyLimits.StreamsAbove"/>.
    /// </summary>
    public long StreamedUploads { get; init; }

    /// <summary>Requests whose clients aborted the body or stalled for too long (4.08).</summary>
    public long UploadsAbandoned { get; init; }

    /// <summary>Requests with slow bodies that were evicted for others because the proxy was full (5.03).</summary>
    public long UploadsEvicted { get; init; }

    /// <summary>Polls of observed resources whose server's protocol has no observations.</summary>
    public long Polls { get; init; }

    /// <summary>Requests answered from the cache.</summary>
    public long CacheHits { get; init; }

    /// <summary>Requests that could not be forwarded, and responses that could not be processed (5.02).</summary>
    public long Failures { get; init; }
}
