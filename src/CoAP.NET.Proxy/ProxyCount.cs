namespace CoAP.NET.Proxy;

/// <summary>What a proxy counts.</summary>
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
