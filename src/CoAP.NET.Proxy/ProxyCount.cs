namespace CoAP.NET.Proxy;

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
