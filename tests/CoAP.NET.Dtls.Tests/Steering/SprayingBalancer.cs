namespace CoAP.NET.Dtls.Tests.Steering;

/// <summary>
/// A load balancer and NAT in front of several servers: each client has one address for all of them, each datagram of a session goes
/// anywhere, and what comes back from a server that the client's datagrams did not go to is dropped.
/// </summary>
internal sealed class SprayingBalancer : IAsyncDisposable
{
    private const byte HandshakeType = 22;

    private readonly IPEndPoint[] _servers;
    private readonly Socket _inside = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly CancellationTokenSource _end = new();
    private readonly List<Task> _loops = [];
    private readonly Dictionary<EndPoint, Client> _clients = [];
    private int _next;
    private int _answers;
    private int _strange;

    public SprayingBalancer(params IPEndPoint[] servers)
    {
        _servers = servers;
        _inside.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _loops.Add(CarryInsideAsync());
    }

    /// <summary>Where clients send to.</summary>
    public string Host => $"coaps://{_inside.LocalEndPoint}";

    /// <summary>Each so many answers one is lost; 0: none.</summary>
    public int LosesEach { get; set; }

    /// <summary>Datagrams of servers that no NAT would have let through.</summary>
    public int Strange => Volatile.Read(ref _strange);

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        _inside.Dispose();
        foreach (Client client in _clients.Values)
        {
            client.Outside.Dispose();
        }

        await Task.WhenAll(_loops);
        _end.Dispose();
    }

    private async Task CarryInsideAsync()
    {
        byte[] buffer = new byte[4_096];
        try
        {
            while (true)
            {
                SocketReceiveFromResult received = await _inside.ReceiveFromAsync(buffer, new IPEndPoint(IPAddress.Any, 0), _end.Token);
                if (!_clients.TryGetValue(received.RemoteEndPoint, out Client? client))
                {
                    client = new Client(_clients.Count % _servers.Length);
                    client.Outside.Bind(new IPEndPoint(IPAddress.Loopback, 0));
                    _clients.Add(received.RemoteEndPoint, client);
                    _loops.Add(CarryOutsideAsync(client, received.RemoteEndPoint));
                }

                // Where servers have different keys for their cookies a handshake has to stay with one.
                int server = buffer[0] == HandshakeType ? client.Home : _next++ % _servers.Length;
                lock (client.Heard)
                {
                    client.Heard.Add(_servers[server]);
                }

                await client.Outside.SendToAsync(buffer.AsMemory(0, received.ReceivedBytes), _servers[server], _end.Token);
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            // The end.
        }
    }

    private async Task CarryOutsideAsync(Client client, EndPoint inside)
    {
        byte[] buffer = new byte[4_096];
        try
        {
            while (true)
            {
                SocketReceiveFromResult received =
                    await client.Outside.ReceiveFromAsync(buffer, new IPEndPoint(IPAddress.Any, 0), _end.Token);
                bool isExpected;
                lock (client.Heard)
                {
                    isExpected = client.Heard.Contains(received.RemoteEndPoint);
                }

                if (!isExpected)
                {
                    Interlocked.Increment(ref _strange);
                }
                else if (LosesEach == 0 || Interlocked.Increment(ref _answers) % LosesEach != 0)
                {
                    await _inside.SendToAsync(buffer.AsMemory(0, received.ReceivedBytes), inside, _end.Token);
                }
            }
        }
        catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException or SocketException)
        {
            // The end.
        }
    }

    private sealed class Client(int home)
    {
        public int Home { get; } = home;

        public Socket Outside { get; } = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

        public HashSet<EndPoint> Heard { get; } = [];
    }
}
