namespace CoAP.NET.Transports;

/// <summary>Selects how TCP sockets are driven.</summary>
public enum CoapTcpEngine
{
    /// <summary>The fastest available engine: <see cref="Inline"/> on Linux, <see cref="Async"/> otherwise.</summary>
    Auto,

    /// <summary>Receive loops of the shards, with non-blocking reads. Linux on x64 and arm64.</summary>
    /// <remarks>
    /// A loop runs each message to completion, and sends the results of one read at once. With TLS the loops run
    /// <see cref="System.Net.Security.SslStream"/> within their turns; handshakes run on the pool.
    /// </remarks>
    Inline,

    /// <summary>The platform's asynchronous sockets and streams.</summary>
    Async,
}
