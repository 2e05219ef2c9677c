using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>
/// A client and a server of sessions, whose datagrams are carried by hand. A tag is a socket of the client, with an address of its own.
/// </summary>
internal sealed class ClientBench : IDisposable
{
    private static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xC0000201, 5684);

    private readonly SharedHandshakeContext _clientContext;
    private readonly BenchSettings _settings;
    private readonly ConcurrentQueue<(bool ToServer, int Tag, byte[] Bytes)> _wire = new();
    private readonly Lock _carries = new();
    private int _sent;
    private ulong _servers;

    public ClientBench(BenchSettings settings)
    {
        _settings = settings;
        Sink = new BenchSink((path, bytes) => Send(true, path.Tag, bytes));
        ServerSink = new BenchSink((path, bytes) => Send(false, (int)(path.Remote.Low & 0xFFFF), bytes));
        _clientContext = new SharedHandshakeContext(settings.Client);
        Client = new DtlsClient(_clientContext, settings.Sessions, Sink, Clock, new VirtualRandom(11), settings.Run);
        Server = MakeServer();
    }

    public VirtualClock Clock { get; } = new();

    public DtlsClient Client { get; }

    public DtlsServer Server { get; private set; }

    public BenchSink Sink { get; }

    public BenchSink ServerSink { get; }

    public ConcurrentQueue<FailedClientHandshake> ServerFailures { get; } = new();

    /// <summary>Decides whether a datagram is lost; gets its number, whether the client sent it, and its bytes.</summary>
    public Func<int, bool, byte[], bool>? Loses { get; set; }

    /// <summary>What arrives in place of a datagram; gets whether the client sent it. Null: the datagram itself.</summary>
    public Func<bool, byte[], IEnumerable<byte[]>>? Changes { get; set; }

    /// <summary>Whether the datagrams under way arrive in reverse order.</summary>
    public bool Reverses { get; set; }

    /// <summary>How many datagrams were sent.</summary>
    public int Sent => Volatile.Read(ref _sent);

    public static DtlsPath Path(int tag = 1) => new(s_server, default, tag);

    /// <summary>How the client receives what the server sends.</summary>
    public static DtlsPath Incoming(int tag = 1) => new(s_server, ClientAddress(tag), tag);

    public Task<DtlsSession> BeginAsync(int tag = 1, string? serverName = null, CancellationToken cancellationToken = default)
    {
        Task<DtlsSession> task = Client.ConnectAsync(Path(tag), serverName, cancellationToken);
        Carry();
        return task;
    }

    /// <summary>Connects; lost datagrams are retransmitted.</summary>
    public async Task<DtlsSession> ConnectAsync(int tag = 1, string? serverName = null)
    {
        Task<DtlsSession> task = BeginAsync(tag, serverName);
        await DriveAsync(() => task.IsCompleted);
        return await task;
    }

    /// <summary>Connects, which fails.</summary>
    public async Task<CoapDtlsException> FailAsync(int tag = 1, string? serverName = null)
    {
        Task<DtlsSession> task = BeginAsync(tag, serverName);
        Assert.Empty(Sink.Opened);
        if (!task.IsCompleted)
        {
            Clock.Advance(_settings.Client.RetransmitTimeout);
            Client.Tick();
        }

        if (!task.IsCompleted)
        {
            Clock.Advance(_settings.Sessions.HandshakeTimeout);
            Client.Tick();
        }

        return await Assert.ThrowsAsync<CoapDtlsException>(() => task);
    }

    /// <summary>
    /// Carries datagrams, and lets both ends retransmit lost ones, until a condition holds. OpenSSL reads the clock of the system for that.
    /// </summary>
    public async Task DriveAsync(Func<bool> condition)
    {
        using CancellationTokenSource guard = new(FromMinutes(2));
        while (!condition())
        {
            guard.Token.ThrowIfCancellationRequested();
            Client.Tick();
            Server.Tick();
            Carry();
            await Task.Yield();
        }
    }

    public void Carry()
    {
        lock (_carries)
        {
            while (!_wire.IsEmpty)
            {
                List<(bool ToServer, int Tag, byte[] Bytes)> batch = [];
                while (_wire.TryDequeue(out (bool ToServer, int Tag, byte[] Bytes) one))
                {
                    batch.Add(one);
                }

                if (Reverses)
                {
                    batch.Reverse();
                }

                foreach ((bool toServer, int tag, byte[] bytes) in batch)
                {
                    _ = toServer
                        ? Server.Receive(new DtlsPath(ClientAddress(tag), default, 0), bytes)
                        : Client.Receive(Incoming(tag), bytes);
                }
            }
        }
    }

    /// <summary>The server forgets everything, also the secret of its cookies.</summary>
    public void RestartServer()
    {
        Server = MakeServer();
    }

    public void Dispose()
    {
        Client.Dispose();
        Server.Dispose();
    }

    private static CoapAddress ClientAddress(int tag) => CoapAddress.FromIPv4(0x0A000000u + (uint)tag, 40_000);

    private void Send(bool toServer, int tag, byte[] bytes)
    {
        int number = Interlocked.Increment(ref _sent);
        if (Loses?.Invoke(number, toServer, bytes) != true)
        {
            foreach (byte[] one in Changes?.Invoke(toServer, bytes) ?? [bytes])
            {
                _wire.Enqueue((toServer, tag, one));
            }
        }
    }

    private DtlsServer MakeServer()
    {
        SharedHandshakeContext context = new(
            _settings.ServerResumes ? _settings.Server with { SessionStore = new ServerResumptionCache() } : _settings.Server);
        return new(context, _settings.Limits, new OneKey(_settings), _settings.ServerTrusts, ServerSink, Clock,
            new VirtualRandom(7 + _servers++), _settings.RunOfServer is { } run ? (_, work) => run(work) : _settings.Run)
        {
            HandshakeFailed = ServerFailures.Enqueue,
            ValidateRawPublicKey = _settings.ServerTrustsKey,
            SelectRules = _settings.SelectsRules ? static _ => null : null,
        };
    }

    private sealed class OneKey(BenchSettings settings) : ICoapPskStore
    {
        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
            new(identity == "user" ? settings.KeyAtServer ?? BenchSettings.Key : ReadOnlyMemory<byte>.Empty);
    }
}
