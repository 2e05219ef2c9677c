namespace CoAP.NET.Transports;

/// <summary>How TCP sockets are driven.</summary>
public enum CoapTcpEngine
{
    /// <summary>The fastest that works here: <see cref="Inline"/> under Linux, <see cref="Async"/> otherwise.</summary>
    Auto,

    /// <summary>
    /// The receive loops of the shards read without waiting, run each message to completion and send what came out of one read at once.
    /// Under TLS they run <see cref="System.Net.Security.SslStream"/> within their turns; handshakes are for the pool. Linux on x64 and
    /// arm64.
    /// </summary>
    Inline,

    /// <summary>The platform's asynchronous sockets and streams.</summary>
    Async,
}
