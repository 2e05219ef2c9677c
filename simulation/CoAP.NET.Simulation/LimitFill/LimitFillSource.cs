namespace CoAP.NET.Simulation.LimitFill;

/// <summary>An address of an attacker: 127.0.0.2 and the next ones.</summary>
/// <param name="number">Which, from 0.</param>
/// <param name="target">Whom it attacks.</param>
/// <param name="isShort">Whether in the small form.</param>
internal sealed class LimitFillSource(int number, LimitFillTarget target, bool isShort)
{
    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(1);

    private long _sent;

    /// <summary>With a Max-Message-Size of 2 MiB, so that answers come whole (RFC 8323 section 5.3.1).</summary>
    public static ReadOnlyMemory<byte> Csm { get; } = new byte[] { 0x40, 0xe1, 0x23, 0x20, 0x00, 0x00 };

    public LimitFillTarget Target => target;

    public IPAddress Address { get; } = new([127, 0, 0, (byte)(2 + number)]);

    /// <summary>Bytes that it sent.</summary>
    public long BytesSent => Interlocked.Read(ref _sent);

    public int Size(int large, int small) => isShort ? small : large;

    /// <summary>A TCP connection of which nothing was said.</summary>
    public async Task<Socket> ConnectAsync(int port, int? receiveBuffer = null)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        if (receiveBuffer is { } size)
        {
            socket.ReceiveBufferSize = size;
        }

        socket.Bind(new IPEndPoint(Address, 0));
        try
        {
            await socket.ConnectAsync(LimitFillTarget.At(port)).WaitAsync(s_hang);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    /// <summary>A connection on which the CSM was sent, and then some bytes.</summary>
    public async Task<LimitFiller> HoldAsync(int port, ReadOnlyMemory<byte> bytes, int? receiveBuffer = null)
    {
        Socket socket = await ConnectAsync(port, receiveBuffer);
        await SendAsync(socket, Csm);
        await SendAsync(socket, bytes);
        return new LimitFiller(socket);
    }

    /// <summary>A UDP socket of this address.</summary>
    public Socket Datagrams(int port)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(Address, 0));
        socket.Connect(LimitFillTarget.At(port));
        return socket;
    }

    /// <summary>Sends bytes, as far as the server takes them.</summary>
    public async Task SendAsync(Socket socket, ReadOnlyMemory<byte> bytes)
    {
        try
        {
            using CancellationTokenSource hang = new(s_hang);
            while (bytes.Length > 0)
            {
                int sent = await socket.SendAsync(bytes, hang.Token);
                Interlocked.Add(ref _sent, sent);
                bytes = bytes[sent..];
            }
        }
        catch (Exception exception) when (exception is SocketException or OperationCanceledException)
        {
            // The server closed it, or reads no more of it: that is its right.
        }
    }

    /// <summary>Counts what something else sent for this source.</summary>
    public void Count(long bytes) => Interlocked.Add(ref _sent, bytes);
}

/// <summary>Where the server of a row listens, on loopback.</summary>
/// <param name="Udp">Over <c>coap</c>.</param>
/// <param name="Tcp">Over <c>coap+tcp</c>.</param>
/// <param name="Tls">Over <c>coaps+tcp</c>.</param>
/// <param name="Dtls">Over <c>coaps</c>.</param>
/// <param name="Web">Over <c>coap+ws</c>.</param>
internal sealed record LimitFillTarget(int Udp, int Tcp, int Tls, int Dtls, int Web)
{
    /// <summary>The addresses to which honest clients send, by scheme.</summary>
    public IReadOnlyList<string> Uris =>
        [$"coap://127.0.0.1:{Udp}", $"coap+tcp://127.0.0.1:{Tcp}", $"coaps+tcp://127.0.0.1:{Tls}", $"coaps://127.0.0.1:{Dtls}",
            $"coap+ws://127.0.0.1:{Web}"];

    /// <summary>An address on loopback.</summary>
    public static IPEndPoint At(int port) => new(IPAddress.Loopback, port);

    public static LimitFillTarget Parse(string text)
    {
        int[] ports = [.. text.Split(' ').Select(port => int.Parse(port))];
        return new LimitFillTarget(ports[0], ports[1], ports[2], ports[3], ports[4]);
    }

    public override string ToString() => $"{Udp} {Tcp} {Tls} {Dtls} {Web}";
}
