namespace CoAP.NET.Dtls.Tests.Moving;

/// <summary>
/// A NAT between one client and a server, which forgets its client when it is told to, and then sends from another port for it.
/// </summary>
internal class NatRelay : IAsyncDisposable
{
    private readonly IPEndPoint _server;
    private readonly Socket _inside = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly CancellationTokenSource _end = new();
    private readonly List<Task> _loops = [];
    private Socket _outside;
    private EndPoint? _client;

    public NatRelay(IPEndPoint server)
    {
        _server = server;
        _inside.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _outside = OpenOutside();
        _loops.Add(CarryInsideAsync());
    }

    /// <summary>Where the client sends to.</summary>
    public string Host => $"coaps://{_inside.LocalEndPoint}";

    /// <summary>Datagrams of the client that were carried.</summary>
    public int Carried { get; private set; }

    /// <summary>Decides about each datagram of the client, by its number, whether it is the first from another port.</summary>
    public Func<int, bool>? RebindsAt { get; set; }

    /// <summary>What is sent to the client before each datagram of the server, as if it came from there; null: nothing.</summary>
    public Func<byte[]>? Injected { get; set; }

    /// <summary>How often it forgot.</summary>
    public int Rebinds { get; private set; }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        _inside.Dispose();
        _outside.Dispose();
        await Task.WhenAll(_loops);
        _end.Dispose();
    }

    /// <summary>What arrives of a datagram, in order.</summary>
    /// <param name="datagram">The datagram.</param>
    /// <param name="isOfClient">Whether the client sent it; false: the server.</param>
    protected virtual IReadOnlyList<byte[]> Pass(byte[] datagram, bool isOfClient) =>
        !isOfClient && Injected is { } injected ? [injected(), datagram] : [datagram];

    private Socket OpenOutside()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Connect(_server);
        _loops.Add(CarryOutsideAsync(socket));
        return socket;
    }

    private async Task CarryInsideAsync()
    {
        byte[] buffer = new byte[4_096];
        try
        {
            while (true)
            {
                SocketReceiveFromResult received = await _inside.ReceiveFromAsync(buffer, new IPEndPoint(IPAddress.Any, 0), _end.Token);
                _client = received.RemoteEndPoint;
                if (RebindsAt?.Invoke(++Carried) == true)
                {
                    _outside.Dispose();
                    _outside = OpenOutside();
                    Rebinds++;
                }

                foreach (byte[] datagram in Pass(buffer[..received.ReceivedBytes], isOfClient: true))
                {
                    await _outside.SendAsync(datagram, _end.Token);
                }
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            // The end.
        }
    }

    private async Task CarryOutsideAsync(Socket socket)
    {
        byte[] buffer = new byte[4_096];
        try
        {
            while (true)
            {
                int length = await socket.ReceiveAsync(buffer, _end.Token);
                foreach (byte[] datagram in Pass(buffer[..length], isOfClient: false))
                {
                    await _inside.SendToAsync(datagram, _client!, _end.Token);
                }
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            // Forgotten, or the end.
        }
    }
}
