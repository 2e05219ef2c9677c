using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>A plain socket on the other side.</summary>
internal sealed class UdpTestPeer : IDisposable
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private readonly Socket _socket;

    public UdpTestPeer(string address = "127.0.0.1")
    {
        IPAddress parsed = IPAddress.Parse(address);
        _socket = new Socket(parsed.AddressFamily, SocketType.Dgram, ProtocolType.Udp) { ReceiveBufferSize = 4 * 1024 * 1024 };
        _socket.Bind(new IPEndPoint(parsed, 0));
    }

    public Socket Socket => _socket;

    public CoapAddress Address => CoapAddress.FromIPEndPoint((IPEndPoint)_socket.LocalEndPoint!);

    public void Send(ReadOnlySpan<byte> bytes, EndPoint to) => _socket.SendTo(bytes, to);

    public void Send(string text, EndPoint to) => Send(Encoding.ASCII.GetBytes(text), to);

    public async Task<(byte[] Data, IPEndPoint From)> ReceiveAsync()
    {
        byte[] buffer = new byte[65536];
        EndPoint any = new IPEndPoint(_socket.AddressFamily == AddressFamily.InterNetwork ? IPAddress.Any : IPAddress.IPv6Any, 0);
        SocketReceiveFromResult result = await _socket.ReceiveFromAsync(buffer, SocketFlags.None, any).WaitAsync(s_hang);
        return (buffer[..result.ReceivedBytes], (IPEndPoint)result.RemoteEndPoint);
    }

    public async Task<string> ReceiveTextAsync() => Encoding.ASCII.GetString((await ReceiveAsync()).Data);

    /// <summary>So many answers, in alphabetical order.</summary>
    public async Task<string[]> ReceiveTextsAsync(int count)
    {
        List<string> texts = [];
        while (texts.Count < count)
        {
            texts.Add(await ReceiveTextAsync());
        }

        texts.Sort(StringComparer.Ordinal);
        return [.. texts];
    }

    /// <summary>Takes what comes until nothing came for a while.</summary>
    public void DrainFor(TimeSpan quiet)
    {
        byte[] buffer = new byte[65536];
        while (_socket.Poll(quiet, SelectMode.SelectRead))
        {
            _socket.Receive(buffer);
        }
    }

    public void Dispose() => _socket.Dispose();
}
