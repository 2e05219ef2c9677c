namespace CoAP.NET.Transports;

/// <summary>How a <see cref="CoapUdpTransport"/> talks to the operating system.</summary>
public enum CoapUdpEngine
{
    /// <summary><see cref="LinuxLoop"/> where it works, otherwise <see cref="Portable"/>. The default.</summary>
    Auto,

    /// <summary>One loop for many sockets with recvmmsg, sendmmsg and epoll. Linux on x64 and arm64.</summary>
    LinuxLoop,

    /// <summary>One loop for each socket with the calls of <see cref="System.Net.Sockets.Socket"/>. Everywhere.</summary>
    Portable,
}
