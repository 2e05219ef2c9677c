using System.Net.Sockets;
using Org.BouncyCastle.Tls;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Datagrams of one peer over a socket on the loopback.</summary>
internal sealed class BouncyUdp : DatagramTransport, IDisposable
{
    private const int Limit = 1_400;

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private EndPoint _remote = new IPEndPoint(IPAddress.Loopback, 0);

    private BouncyUdp() => _socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));

    public int Port => ((IPEndPoint)_socket.LocalEndPoint!).Port;

    /// <summary>The address of the last sender, as bytes for a cookie.</summary>
    public byte[] Remote => Encoding.ASCII.GetBytes(_remote.ToString()!);

    public static BouncyUdp Listen() => new();

    public static BouncyUdp Connect(int port) => new() { _remote = new IPEndPoint(IPAddress.Loopback, port) };

    public int GetReceiveLimit() => Limit;

    public int GetSendLimit() => Limit;

    public int Receive(byte[] buf, int off, int len, int waitMillis) => Receive(buf.AsSpan(off, len), waitMillis);

    public int Receive(Span<byte> buffer, int waitMillis)
    {
        if (!_socket.Poll(TimeSpan.FromMilliseconds(waitMillis), SelectMode.SelectRead))
        {
            return -1;
        }

        try
        {
            return _socket.ReceiveFrom(buffer, SocketFlags.None, ref _remote);
        }
        catch (SocketException exception) when (exception.SocketErrorCode == SocketError.ConnectionReset)
        {
            // The other end has closed its socket.
            return -1;
        }
    }

    public void Send(byte[] buf, int off, int len) => Send(buf.AsSpan(off, len));

    public void Send(ReadOnlySpan<byte> buffer) => _socket.SendTo(buffer, SocketFlags.None, _remote);

    public void Close()
    {
        // Several sessions use one socket.
    }

    public void Dispose() => _socket.Dispose();
}
