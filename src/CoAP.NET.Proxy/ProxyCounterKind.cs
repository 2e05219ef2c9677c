namespace CoAP.NET.Proxy;

internal enum ProxyCounterKind
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
