using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>Listens where certificates say that their issuer and their revocations are to be fetched, and sees who does.</summary>
internal sealed class IssuerTrap : IDisposable
{
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);

    public IssuerTrap()
    {
        _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _socket.Listen();
    }

    /// <summary>The URL for certificates.</summary>
    public string Url => $"http://{_socket.LocalEndPoint}/issuer.cer";

    /// <summary>Whether anybody connected.</summary>
    public bool WasVisited => _socket.Poll(0, SelectMode.SelectRead);

    public void Dispose() => _socket.Dispose();
}
