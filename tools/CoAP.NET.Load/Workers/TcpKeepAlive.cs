using System.Net.Sockets;

namespace CoAP.NET.Load.Workers;

/// <summary>TCP keep-alive: connections stay silent for long while peers connect, but a machine that went down must be noticed.</summary>
internal static class TcpKeepAlive
{
    /// <summary>Makes the system probe after 10 s of silence, and give up after three probes 5 s apart.</summary>
    public static void Set(Socket socket)
    {
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, 10);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, 5);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, 3);
    }
}
