using System.Collections.Concurrent;
using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>Stands between clients and a server on the loopback address, and loses or doubles some of the datagrams of both directions. Which ones follows from a seed and from the order in which they come.</summary>
internal sealed class LossyRelay : IAsyncDisposable
{
    private const int MaxDatagram = 65_535;

    private readonly Lock _gate = new();
    private readonly Random _random;
    private readonly double _loss;
    private readonly double _doubling;
    private readonly IPEndPoint _server;
    private readonly Socket _front = Bind();
    private readonly ConcurrentDictionary<IPEndPoint, Socket> _backs = new();
    private readonly ConcurrentBag<Task> _running = [];
    private readonly CancellationTokenSource _stop = new();
    private int _lost;
    private int _doubled;

    public LossyRelay(IPEndPoint server, double loss, double doubling = 0, int seed = 1)
    {
        _server = server;
        _loss = loss;
        _doubling = doubling;
        _random = new Random(seed);
        _running.Add(ServeAsync());
    }

    public IPEndPoint EndPoint => (IPEndPoint)_front.LocalEndPoint!;

    /// <summary>How many datagrams were lost.</summary>
    public int Lost => Volatile.Read(ref _lost);

    /// <summary>How many datagrams were sent on twice.</summary>
    public int Doubled => Volatile.Read(ref _doubled);

    /// <summary>The URI of a resource of the server, by way of the relay.</summary>
    public string Uri(string path) => $"coap://{EndPoint}{path}";

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        await Task.WhenAll(_running);
        _front.Dispose();
        foreach (Socket back in _backs.Values)
        {
            back.Dispose();
        }

        _stop.Dispose();
    }

    private static Socket Bind()
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return socket;
    }

    private Task ServeAsync() => PassOnAsync(_front, (data, from) => BackOf((IPEndPoint)from).SendTo(data, SocketFlags.None, _server));

    // One socket for each client, as a network address translator has, so that the server tells them apart.
    private Socket BackOf(IPEndPoint client)
    {
        if (!_backs.TryGetValue(client, out Socket? back))
        {
            _backs[client] = back = Bind();
            _running.Add(PassOnAsync(back, (data, _) => _front.SendTo(data, SocketFlags.None, client)));
        }

        return back;
    }

    private async Task PassOnAsync(Socket from, Func<byte[], EndPoint, int> send)
    {
        byte[] buffer = new byte[MaxDatagram];
        EndPoint any = new IPEndPoint(IPAddress.Any, 0);
        while (true)
        {
            try
            {
                SocketReceiveFromResult received = await from.ReceiveFromAsync(buffer, SocketFlags.None, any, _stop.Token);
                byte[] data = buffer[..received.ReceivedBytes];
                for (int copies = Copies(); copies > 0; copies--)
                {
                    send(data, received.RemoteEndPoint);
                }
            }
            catch (OperationCanceledException)
            {
                return;
            }
            catch (SocketException)
            {
                // The other side is gone for now; a datagram to it is lost like others.
            }
        }
    }

    private int Copies()
    {
        lock (_gate)
        {
            double chance = _random.NextDouble();
            if (chance < _loss)
            {
                _lost++;
                return 0;
            }

            if (chance < _loss + _doubling)
            {
                _doubled++;
                return 2;
            }

            return 1;
        }
    }
}
