using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Cluster.Tests.Steering;

/// <summary>
/// A UDP load balancer: brings what clients send to servers, and back what comes from a server to which the client has sent something,
/// from an address of its own for each client.
/// </summary>
internal sealed class TestBalancer : IAsyncDisposable
{
    private readonly Socket _front = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<EndPoint, Flow> _flows = [];
    private readonly List<Task> _loops = [];
    private readonly List<(Socket From, byte[] Datagram)> _kept = [];
    private IPEndPoint[] _servers = [];
    private IPEndPoint? _keeps;
    private int _next;

    public TestBalancer()
    {
        _front.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        _loops.Add(PassInAsync());
    }

    public int Port => ((IPEndPoint)_front.LocalEndPoint!).Port;

    /// <summary>Whether each datagram goes to the next server, whatever its client.</summary>
    public bool Sprays { get; set; }

    /// <summary>Which servers are used from now on. Clients of others belong to another one with their next datagram.</summary>
    public void Use(params IPEndPoint[] servers)
    {
        lock (_gate)
        {
            _servers = servers;
        }
    }

    /// <summary>How many datagrams are kept.</summary>
    public int KeptCount
    {
        get
        {
            lock (_gate)
            {
                return _kept.Count;
            }
        }
    }

    /// <summary>Keeps what is for a server from now on, as the socket of a process does that stands still; null: for none.</summary>
    public void Keep(IPEndPoint? server)
    {
        lock (_gate)
        {
            _keeps = server;
        }
    }

    /// <summary>Sends what is kept, whenever it is called.</summary>
    /// <returns>How many datagrams.</returns>
    public int Release()
    {
        lock (_gate)
        {
            _kept.ForEach(kept => Send(kept.From, kept.Datagram, _keeps!));
            return _kept.Count;
        }
    }

    /// <summary>Forgets where clients belong: each goes to the server after its own.</summary>
    public void Forget()
    {
        lock (_gate)
        {
            foreach (Flow flow in _flows.Values)
            {
                flow.Home = flow.Home is null ? null : _servers[(Array.IndexOf(_servers, flow.Home) + 1) % _servers.Length];
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        _front.Dispose();
        Task[] loops;
        lock (_gate)
        {
            foreach (Flow flow in _flows.Values)
            {
                flow.Back.Dispose();
            }

            loops = [.. _loops];
        }

        await Task.WhenAll(loops);
        _stop.Dispose();
    }

    private async Task PassInAsync()
    {
        byte[] buffer = new byte[65_536];
        while (await ReceiveAsync(_front, buffer) is { } received)
        {
            Flow flow;
            IPEndPoint? server;
            lock (_gate)
            {
                if (!_flows.TryGetValue(received.RemoteEndPoint, out flow!))
                {
                    flow = new Flow(received.RemoteEndPoint);
                    _flows.Add(received.RemoteEndPoint, flow);
                    _loops.Add(PassOutAsync(flow));
                }

                server = Choose(flow);
                if (server is not null)
                {
                    flow.Sent.Add(server);
                    if (server.Equals(_keeps))
                    {
                        _kept.Add((flow.Back, buffer[..received.ReceivedBytes]));
                        server = null;
                    }
                }
            }

            if (server is not null)
            {
                Send(flow.Back, buffer.AsSpan(0, received.ReceivedBytes), server);
            }
        }
    }

    private async Task PassOutAsync(Flow flow)
    {
        byte[] buffer = new byte[65_536];
        while (await ReceiveAsync(flow.Back, buffer) is { } received)
        {
            bool isLetThrough;
            lock (_gate)
            {
                isLetThrough = flow.Sent.Contains(received.RemoteEndPoint) && _servers.Contains(received.RemoteEndPoint);
            }

            if (isLetThrough)
            {
                Send(_front, buffer.AsSpan(0, received.ReceivedBytes), flow.Client);
            }
        }
    }

    private IPEndPoint? Choose(Flow flow)
    {
        if (_servers.Length == 0)
        {
            return null;
        }

        if (Sprays)
        {
            return _servers[_next++ % _servers.Length];
        }

        if (flow.Home is null || !_servers.Contains(flow.Home))
        {
            flow.Home = _servers[_next++ % _servers.Length];
        }

        return flow.Home;
    }

    private static void Send(Socket socket, ReadOnlySpan<byte> datagram, EndPoint to)
    {
        try
        {
            socket.SendTo(datagram, to);
        }
        catch (Exception exception) when (exception is SocketException or ObjectDisposedException)
        {
            // It is lost, as datagrams are.
        }
    }

    private async Task<SocketReceiveFromResult?> ReceiveAsync(Socket socket, byte[] buffer)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                return await socket.ReceiveFromAsync(buffer, SocketFlags.None, new IPEndPoint(IPAddress.Any, 0), _stop.Token);
            }
            catch (SocketException)
            {
                // A server is gone, which an earlier datagram of ours found out.
            }
            catch (Exception exception) when (exception is OperationCanceledException or ObjectDisposedException)
            {
                break;
            }
        }

        return null;
    }

    private sealed class Flow
    {
        public Flow(EndPoint client)
        {
            Client = client;
            Back.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        }

        public EndPoint Client { get; }

        public Socket Back { get; } = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);

        public HashSet<EndPoint> Sent { get; } = [];

        public IPEndPoint? Home { get; set; }
    }
}
