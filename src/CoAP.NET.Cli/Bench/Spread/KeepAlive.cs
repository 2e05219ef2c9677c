using System.Net.Sockets;

namespace CoAP.NET.Cli.Bench;

/// <summary>
/// Connections stay silent for long while peers are connected; a machine that was switched off must be noticed all the same.
/// </summary>
internal static class KeepAlive
{
    /// <summary>Lets the system ask after 10 s of silence, and give up after three questions 5 s apart.</summary>
    public static void Set(Socket socket)
    {
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, true);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, 10);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, 5);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, 3);
    }
}
