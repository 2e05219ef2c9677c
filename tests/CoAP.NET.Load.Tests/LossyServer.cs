using System.Net.Sockets;

namespace CoAP.NET.Load.Tests;

/// <summary>Answers datagrams, but for some.</summary>
internal sealed class LossyServer : IAsyncDisposable
{
    private readonly UdpClient _socket = new(new IPEndPoint(IPAddress.Loopback, 0));
    private readonly Func<int, bool> _drops;
    private readonly Task _running;

    /// <summary>Starts it.</summary>
    /// <param name="drops">Whether to leave the n-th datagram without an answer.</param>
    public LossyServer(Func<int, bool> drops)
    {
        _drops = drops;
        _running = RunAsync();
    }

    public string Uri => $"coap://{_socket.Client.LocalEndPoint}/x";

    public int Answered { get; private set; }

    public int Dropped { get; private set; }

    public async ValueTask DisposeAsync()
    {
        _socket.Dispose();
        await _running;
    }

    private async Task RunAsync()
    {
        try
        {
            while (true)
            {
                UdpReceiveResult received = await _socket.ReceiveAsync();
                byte[] request = received.Buffer;
                if (_drops(Answered + Dropped))
                {
                    Dropped++;
                    continue;
                }

                // An acknowledgement 2.05 with the Message ID and the token.
                int tokenLength = request[0] & 15;
                Answered++;
                await _socket.SendAsync((byte[])[(byte)(0x60 | tokenLength), 0x45, .. request.AsSpan(2, 2 + tokenLength)],
                    received.RemoteEndPoint);
            }
        }
        catch (Exception exception) when (exception is ObjectDisposedException or SocketException)
        {
            // Closed.
        }
    }
}
