namespace CoAP.NET.Proxy;

/// <summary>The counters of a proxy.</summary>
internal enum ProxyCount
{
    Requests,
    Forwarded,
    TargetsDenied,
    UnsafeOptions,
    Challenges,
    Busy,
    HopLimits,
    Timeouts,
    Failures,
    Shared,
    Streamed,
    StreamedUploads,
    UploadsAbandoned,
    UploadsEvicted,
    Polls,
}
