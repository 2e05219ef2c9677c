namespace CoAP.NET;

/// <summary>Selects how a transport over UDP or TCP talks to the operating system.</summary>
public enum CoapSocketEngine
{
    /// <summary><see cref="LinuxLoop"/> if available, otherwise <see cref="Portable"/>. The default.</summary>
    Auto,

    /// <summary>The receive loops of the shards, each for many sockets. Linux on x64 and arm64.</summary>
    /// <remarks>
    /// Over UDP they use recvmmsg, sendmmsg and epoll. Over TCP a loop runs each message to completion, and sends the results of one read
    /// at once. With TLS the loops run <see cref="System.Net.Security.SslStream"/> within their turns; handshakes run on the pool.
    /// </remarks>
    LinuxLoop,

    /// <summary>The sockets and streams of .NET: one loop per UDP socket, asynchronous calls for TCP. Available everywhere.</summary>
    Portable,
}
