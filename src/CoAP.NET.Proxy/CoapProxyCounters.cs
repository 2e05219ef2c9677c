namespace CoAP.NET.Proxy;

/// <summary>What a proxy has done so far; see <see cref="CoapProxy.GetCounters"/>.</summary>
public sealed record CoapProxyCounters
{
    /// <summary>Requests that came to the proxy.</summary>
    public long Requests { get; init; }

    /// <summary>Requests that were sent on to another server.</summary>
    public long Forwarded { get; init; }

    /// <summary>Requests that are under way at the moment.</summary>
    public int UnderWay { get; init; }

    /// <summary>Registrations at servers that the proxy has at the moment for clients who observe through it.</summary>
    public int Observations { get; init; }

    /// <summary>Requests that were refused as their target is not allowed (5.05), also because of the address that its name stands
    /// for.</summary>
    public long TargetsDenied { get; init; }

    /// <summary>Requests that were refused for an option that is unsafe to forward (4.02).</summary>
    public long UnsafeOptions { get; init; }

    /// <summary>Requests that were asked to come again with an Echo, as nobody had verified the address of their client (4.01).</summary>
    public long Challenges { get; init; }

    /// <summary>Requests that were refused for lack of room (5.03).</summary>
    public long Busy { get; init; }

    /// <summary>Requests whose hops were used up, and answers of other proxies that said so (5.08).</summary>
    public long HopLimits { get; init; }

    /// <summary>Requests that got no answer in time (5.04).</summary>
    public long Timeouts { get; init; }

    /// <summary>Requests that were answered by the answer to an equal one of somebody else that was under way.</summary>
    public long Shared { get; init; }

    /// <summary>Answers that were passed on as a stream, as they were larger than <see cref="CoapProxyOptions.StreamsAbove"/>.</summary>
    public long Streamed { get; init; }

    /// <summary>Requests whose bodies were passed on as a stream, as they were larger than <see cref="CoapProxyOptions.StreamsAbove"/>.
    /// </summary>
    public long StreamedUploads { get; init; }

    /// <summary>Requests whose clients gave up sending their bodies, or sent nothing more for too long (4.08).</summary>
    public long UploadsAbandoned { get; init; }

    /// <summary>Requests with slow bodies that gave way to others when there was no place left (5.03).</summary>
    public long UploadsEvicted { get; init; }

    /// <summary>Requests by which the proxy asked for what clients observe, where the protocol of the server has no
    /// observations.</summary>
    public long Polls { get; init; }

    /// <summary>Requests that were answered from the cache.</summary>
    public long CacheHits { get; init; }

    /// <summary>Requests that could not be sent on, and answers that could not be processed (5.02).</summary>
    public long Failures { get; init; }
}
