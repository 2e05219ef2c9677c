namespace CoAP.NET.Proxy;

/// <summary>The counted events of a proxy.</summary>
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
