namespace CoAP.NET.Transports;

/// <summary>Selects how a <see cref="CoapUdpTransport"/> talks to the operating system.</summary>
public enum CoapUdpEngine
{
    /// <summary><see cref="LinuxLoop"/> if available, otherwise <see cref="Portable"/>. The default.</summary>
    Auto,

    /// <summary>One loop for many sockets with recvmmsg, sendmmsg and epoll. Linux on x64 and arm64.</summary>
    LinuxLoop,

    /// <summary>One loop per socket with the calls of <see cref="System.Net.Sockets.Socket"/>. Available everywhere.</summary>
    Portable,
}
