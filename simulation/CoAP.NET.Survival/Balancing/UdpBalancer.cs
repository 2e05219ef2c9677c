using System.Runtime.InteropServices;

namespace CoAP.NET.Survival.Balancing;

/// <summary>
/// A UDP load balancer like those of clouds. It sends the datagrams of a client to one server until it forgets the client or the server is
/// no longer in use. Servers see a different address of 127.0.0.0/8 for each client. A client gets datagrams only from servers to which it
/// sent one. The balancer counts reused record numbers of DTLS. It runs on its own thread.
/// </summary>
internal sealed class UdpBalancer : IDisposable
{
    private const int FrontTag = 0;
    private const int BackTag = 1;
    private const int Milliseconds = 100;
    private const int Burst = 64;
    private const byte WithConnectionId = 25;

    // Clients are 127.16.0.0 and up.
    private const ulong FirstSource = 0x7F10_0000;

    private readonly CoapRandomSource _random;
    private readonly PacketSocket _front = new(IPAddress.Loopback);
    private readonly PacketSocket _back = new(IPAddress.Any);
    private readonly Poller _poller = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<ulong, ClientFlow> _clients = [];
    private readonly List<ClientFlow> _flows = [];
    private readonly Dictionary<ulong, Backend> _backends = [];
    private readonly byte[] _buffer = new byte[65_536];
    private readonly byte[] _dice = new byte[4];
    private readonly Thread _thread;
    private Backend[] _used = [];
    private long _dropped;
    private volatile bool _isStopped;
    private volatile bool _isAstray;
    private volatile BalancerOptions _options = new();

    public UdpBalancer(CoapRandomSource random)
    {
        _random = random;
        _poller.Watch(_front.Descriptor, FrontTag, isKnown: false);
        _poller.Watch(_back.Descriptor, BackTag, isKnown: false);
        _thread = new Thread(Run) { IsBackground = true, Name = "balancer" };
        _thread.Start();
    }

    /// <summary>The address for clients.</summary>
    public IPEndPoint Address => new(IPAddress.Loopback, _front.Port);

    /// <summary>How it selects servers; see <see cref="BalancerOptions"/> for the defaults.</summary>
    public BalancerOptions Options
    {
        set => _options = value;
    }

    /// <summary>Whether records with a Connection ID of every second client go to the server behind its own.</summary>
    public bool IsAstray
    {
        set => _isAstray = value;
    }

    /// <summary>Sets the servers in use.</summary>
    public void Use(IReadOnlyCollection<Backend> backends)
    {
        lock (_gate)
        {
            foreach (Backend backend in backends)
            {
                _backends[PacketSocket.NumberOf(backend.Address)] = backend;
            }

            _used = [.. backends];
        }
    }

    /// <summary>Resets the counters.</summary>
    public void Begin()
    {
        lock (_gate)
        {
            _dropped = 0;
            foreach (ClientFlow flow in _flows)
            {
                flow.Begin();
            }
        }
    }

    /// <summary>
    /// Removes all clients. A new client that gets the port of an old one has its own flow, because servers may still send
    /// records of the old session.
    /// </summary>
    public void EndClients()
    {
        lock (_gate)
        {
            _clients.Clear();
        }
    }

    /// <summary>Returns the counters since <see cref="Begin"/>.</summary>
    public BalancerFigures Read()
    {
        lock (_gate)
        {
            return new BalancerFigures(
                _flows.Count(flow => flow.HasShakenHands), _flows.Count(flow => flow.HasMoved),
                _flows.Sum(flow => flow.NumbersTwice), _dropped);
        }
    }

    public void Dispose()
    {
        _isStopped = true;
        _thread.Join();
        _poller.Dispose();
        _front.Dispose();
        _back.Dispose();
    }

    private void Run()
    {
        Span<int> tags = stackalloc int[2];
        while (!_isStopped)
        {
            int count = _poller.Wait(tags, Milliseconds);
            lock (_gate)
            {
                for (int i = 0; i < count; i++)
                {
                    int burst = 0;
                    while (burst < Burst && (tags[i] == FrontTag ? PassIn() : PassOut()))
                    {
                        burst++;
                    }
                }
            }
        }
    }

    private bool PassIn()
    {
        int length = _front.Receive(_buffer, out ulong client, out _);
        if (length < 0)
        {
            return false;
        }

        ref ClientFlow? flow = ref CollectionsMarshal.GetValueRefOrAddDefault(_clients, client, out _);
        if (flow is null)
        {
            flow = new ClientFlow(client, _flows.Count);
            _flows.Add(flow);
        }

        if (Choose(flow, hasConnectionId: length > 0 && _buffer[0] == WithConnectionId) is { } backend)
        {
            flow.Enter(backend);
            _back.Send(_buffer.AsSpan(0, length), PacketSocket.NumberOf(backend.Address), FirstSource + (ulong)flow.Index);
        }
        else
        {
            _dropped++;
        }

        return true;
    }

    private bool PassOut()
    {
        int length = _back.Receive(_buffer, out ulong from, out ulong to);
        if (length < 0)
        {
            return false;
        }

        if (to >= FirstSource && to - FirstSource < (ulong)_flows.Count && _backends.TryGetValue(from, out Backend? backend)
            && _flows[(int)(to - FirstSource)] is var flow && flow.Knows(backend))
        {
            ReadOnlySpan<byte> datagram = _buffer.AsSpan(0, length);
            flow.Read(datagram);
            _front.Send(datagram, flow.Client, 0);
        }
        else
        {
            _dropped++;
        }

        return true;
    }

    private Backend? Choose(ClientFlow flow, bool hasConnectionId)
    {
        long now = TimeProvider.System.GetTimestamp();
        TimeSpan silence = TimeProvider.System.GetElapsedTime(flow.LastHeard, now);
        flow.LastHeard = now;
        if (_used.Length == 0)
        {
            return null;
        }

        if (hasConnectionId && _options.SpraysOneOf > 0 && Dice(_options.SpraysOneOf) == 0)
        {
            return _used[Dice(_used.Length)];
        }

        if (hasConnectionId && _isAstray && flow.Home is { } own && flow.Index / _used.Length % 2 == 1)
        {
            return _used[(Array.IndexOf(_used, own) + 1) % _used.Length];
        }

        bool isForgotten = _options.Forgets != Timeout.InfiniteTimeSpan && silence >= _options.Forgets;
        if (flow.Home is null || isForgotten || !_used.Contains(flow.Home))
        {
            Backend home = flow.Home is null ? _used[flow.Index % _used.Length] : _used[Dice(_used.Length)];
            flow.HasMoved |= flow.Home is { } before && before != home;
            flow.Home = home;
        }

        return flow.Home;
    }

    private int Dice(int sides)
    {
        _random.Fill(_dice);
        return (int)(BitConverter.ToUInt32(_dice) % (uint)sides);
    }
}

/// <summary>The counters of a <see cref="UdpBalancer"/>.</summary>
/// <param name="Handshakes">Clients that a server began a handshake with (ServerHello).</param>
/// <param name="Moved">Clients whose datagrams went to another server than before.</param>
/// <param name="NumbersTwice">Records of servers whose number was used before under the same key.</param>
/// <param name="Dropped">Datagrams without a server or client.</param>
internal readonly record struct BalancerFigures(int Handshakes, int Moved, int NumbersTwice, long Dropped);

/// <summary>A server behind the balancer.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Address">Its IPv4 address.</param>
public sealed record Backend(string Name, IPEndPoint Address);
