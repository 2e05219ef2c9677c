namespace CoAP.NET.Transports;

/// <summary>How TCP sockets are driven.</summary>
public enum CoapTcpEngine
{
    /// <summary>The fastest that works here: <see cref="Inline"/> under Linux and without TLS, <see cref="Async"/> otherwise.</summary>
    Auto,

    /// <summary>
    /// The receive loops of the shards read without waiting, run each message to completion and send what came out of one read at once.
    /// Linux, without TLS.
    /// </summary>
    Inline,

    /// <summary>The platform's asynchronous sockets and streams; with TLS in any case.</summary>
    Async,
}
