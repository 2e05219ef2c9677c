using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Transports.Tcp;

/// <summary>The other end of a connection: a plain socket, or what stands over it.</summary>
internal sealed class AsyncPeer(Socket socket, Stream stream) : IAsyncDisposable
{
    private static readonly TimeSpan s_guard = FromMinutes(2);

    public Socket Socket => socket;

    public Stream Stream => stream;

    public static async Task<AsyncPeer> ConnectAsync(CoapAddress address, IPAddress? from = null)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        if (from is not null)
        {
            socket.Bind(new IPEndPoint(from, 0));
        }

        await socket.ConnectAsync(new IPEndPoint(IPAddress.Loopback, address.Port)).WaitAsync(s_guard);
        return new AsyncPeer(socket, new NetworkStream(socket, ownsSocket: true));
    }

    public Task SendAsync(string hex) => SendAsync(Wire.Hex(hex));

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        await stream.WriteAsync(bytes).AsTask().WaitAsync(s_guard);
        await stream.FlushAsync().WaitAsync(s_guard);
    }

    /// <summary>Exactly so many bytes.</summary>
    public async Task<byte[]> ReceiveAsync(int count)
    {
        byte[] bytes = new byte[count];
        await stream.ReadExactlyAsync(bytes).AsTask().WaitAsync(s_guard);
        return bytes;
    }

    public async Task<string> ReceiveHexAsync(int count) => Wire.Hex(await ReceiveAsync(count));

    /// <summary>Reads as many bytes as the expected ones, and compares.</summary>
    public async Task ExpectAsync(string hex) => Assert.Equal(hex, await ReceiveHexAsync(hex.Length / 2));

    /// <summary>Everything until the other side has ended its own.</summary>
    public async Task<byte[]> ReceiveToEndAsync()
    {
        using MemoryStream all = new();
        await stream.CopyToAsync(all).WaitAsync(s_guard);
        return all.ToArray();
    }

    public void EndSending() => socket.Shutdown(SocketShutdown.Send);

    public void Reset()
    {
        socket.LingerState = new LingerOption(true, 0);
        socket.Dispose();
    }

    public ValueTask DisposeAsync() => stream.DisposeAsync();
}
