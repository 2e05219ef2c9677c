using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

/// <summary>A plain TCP socket on the other side.</summary>
internal sealed class StreamPeer : IDisposable
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    private StreamPeer(Socket socket) => Socket = socket;

    public Socket Socket { get; }

    public static async Task<StreamPeer> ConnectAsync(IPEndPoint to)
    {
        Socket socket = new(to.AddressFamily, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        await socket.ConnectAsync(to).WaitAsync(s_hang);
        return new StreamPeer(socket);
    }

    public static StreamPeer Of(Socket socket) => new(socket);

    public async Task SendAsync(ReadOnlyMemory<byte> bytes)
    {
        while (bytes.Length > 0)
        {
            bytes = bytes[await Socket.SendAsync(bytes).AsTask().WaitAsync(s_hang)..];
        }
    }

    public Task SendAsync(string hex) => SendAsync(Wire.Hex(hex));

    public async Task<byte[]> ReceiveAsync(int count)
    {
        byte[] bytes = new byte[count];
        for (int at = 0; at < count;)
        {
            int read = await Socket.ReceiveAsync(bytes.AsMemory(at)).AsTask().WaitAsync(s_hang);
            Assert.True(read > 0, $"The connection ended after {at} of {count} bytes.");
            at += read;
        }

        return bytes;
    }

    /// <summary>What comes with one receive.</summary>
    public async Task<byte[]> ReceiveOnceAsync()
    {
        byte[] bytes = new byte[256 * 1024];
        return bytes[..await Socket.ReceiveAsync(bytes.AsMemory()).AsTask().WaitAsync(s_hang)];
    }

    /// <summary>All that comes up to the end of the connection.</summary>
    public async Task<byte[]> ReceiveToEndAsync()
    {
        using MemoryStream all = new();
        while (true)
        {
            byte[] bytes = await ReceiveOnceAsync();
            if (bytes.Length == 0)
            {
                return all.ToArray();
            }

            all.Write(bytes);
        }
    }

    /// <summary>A frame with a payload of so many bytes, whose first is given.</summary>
    public static byte[] Frame(int payload, byte first = 0)
    {
        int length = payload + 1;
        byte[] head = length switch
        {
            < 13 => [(byte)(length << 4), 0x02],
            < 269 => [0xd0, (byte)(length - 13), 0x02],
            < 65_805 => [0xe0, (byte)((length - 269) >> 8), (byte)(length - 269), 0x02],
            _ => [0xf0, (byte)((length - 65_805) >> 24), (byte)((length - 65_805) >> 16), (byte)((length - 65_805) >> 8),
                (byte)(length - 65_805), 0x02],
        };
        byte[] frame = new byte[head.Length + length];
        head.CopyTo(frame, 0);
        frame[head.Length] = 0xff;
        for (int i = head.Length + 1; i < frame.Length; i++)
        {
            frame[i] = (byte)(first + i);
        }

        return frame;
    }

    /// <summary>Ends the connection by a reset.</summary>
    public void Reset()
    {
        Socket.LingerState = new LingerOption(true, 0);
        Socket.Dispose();
    }

    public void Dispose() => Socket.Dispose();
}
