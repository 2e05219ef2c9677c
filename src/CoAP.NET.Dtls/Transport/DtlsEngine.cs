using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Transport;

/// <summary>What stands behind a <see cref="CoapDtlsTransport"/> that runs: between the sockets, which see records, and the mesh, which sees messages.</summary>
internal sealed partial class DtlsEngine : IDtlsSink, IDisposable
{
    // A record around the largest message: header, Connection ID of any length, explicit nonce, type, tag.
    private const int RecordOverhead = 13 + 255 + 8 + 1 + 16;

    // While handshakes are under way; and while there are only sessions, whose times are long.
    private static readonly TimeSpan s_often = TimeSpan.FromMilliseconds(50);
    private static readonly TimeSpan s_seldom = TimeSpan.FromSeconds(1);

    private readonly CoapDtlsTransport _transport;
    private readonly CoapUdpTransport _sockets;
    private readonly CoapTransportContext _outer;
    private readonly DtlsSettings _settings;
    private readonly HandshakeContext? _serverContext;
    private readonly HandshakeContext? _clientContext;
    private readonly DtlsServer? _server;
    private readonly DtlsClient? _client;
    private readonly CoapDatagramPool _pool;

    // Handshakes are never worked on by a thread that receives: certificates are checked there, and users asked.
    private readonly HandshakeWork _work;
    private ITimer? _timer;
    private long _nextTick;
    private int _isDisposed;

    /// <summary>Makes it; nothing is received before its sockets start.</summary>
    /// <exception cref="CoapDtlsException">OpenSSL is missing, or does not take the options.</exception>
    public DtlsEngine(CoapDtlsTransport transport, CoapUdpTransport sockets, CoapTransportContext context, DtlsSettings settings, bool isServer)
    {
        _transport = transport;
        _sockets = sockets;
        _outer = context;
        _settings = settings;
        Context = new DtlsContext(this, context, 0);
        _work = new HandshakeWork((work, state) => context.Scheduler.TryQueue(work, state, context.Counters, context.Logger), context.TimeProvider, s_often);
        _pool = new CoapDatagramPool(context.Limits.MaxDatagramSize + RecordOverhead);
        if (isServer)
        {
            _serverContext = settings.MakeServerContext(context.TimeProvider);
            _server = new DtlsServer(
                _serverContext, settings.ServerLimits, settings.PskStore, settings.ValidateClientsBy(context.TimeProvider), this, context.TimeProvider, context.Random, _work.Run) {
                    Sources = context.Sources,
                    HandshakeFailed = OnHandshakeFailed,
                    ValidateRawPublicKey = settings.ValidateClientPublicKey,
                    Counters = new DtlsServerCounters(context.Counters),
                };
        }

        if (settings.HasClient)
        {
            _clientContext = settings.MakeClientContext();
            _client = new DtlsClient(_clientContext, settings.Client, this, context.TimeProvider, context.Random, _work.Run);
        }
    }

    /// <summary>What the sockets of the transport see.</summary>
    public DtlsContext Context { get; }

    /// <summary>The server's part; null on a transport that only requests.</summary>
    public DtlsServer? Server => _server;

    /// <summary>The client's part; null without credentials for one.</summary>
    public DtlsClient? Client => _client;

    /// <summary>Now, as a time stamp of the clock.</summary>
    public long Now => _outer.TimeProvider.GetTimestamp();

    /// <summary>The sockets receive.</summary>
    public void Start()
    {
        if (!_sockets.DrivesClock)
        {
            _timer = _outer.TimeProvider.CreateTimer(static engine => ((DtlsEngine)engine!).Tick(), this, s_often, s_often);
        }
    }

    /// <summary>Does what is due in handshakes and sessions.</summary>
    /// <returns>When it is to be called again.</returns>
    public TimeSpan Tick()
    {
        long now = Now;
        long next = Volatile.Read(ref _nextTick);
        if (now < next)
        {
            return _outer.TimeProvider.GetElapsedTime(now, next);
        }

        // Several loops tick; one of them works.
        TimeSpan wait = _server is { HandshakeCount: > 0 } || _client is { HandshakeCount: > 0 } ? s_often : s_seldom;
        if (Volatile.Read(ref _isDisposed) == 0 && Interlocked.CompareExchange(ref _nextTick, now + (long)(wait.TotalSeconds * _outer.TimeProvider.TimestampFrequency), next) == next)
        {
            _server?.Tick();
            _client?.Tick();
            _work.Look();
            ProbeSilent();
        }

        return wait;
    }

    /// <summary>Ends a session by this end's wish.</summary>
    public void End(DtlsChannelSession session)
    {
        if (session.IsInitiator)
        {
            _client!.End(session.Session, DtlsEnd.Closed, tells: true);
        }
        else if (_settings.SessionFile is not null && _outer.IsStopping)
        {
            _server!.EndToKeep(session.Session);
        }
        else
        {
            _server!.End(session.Session, DtlsEnd.Closed, tells: true);
        }
    }

    public void Dispose()
    {
        if (Interlocked.Exchange(ref _isDisposed, 1) != 0)
        {
            return;
        }

        _timer?.Dispose();
        _client?.Dispose();
        KeepSessions();
        _server?.Dispose();
        _clientContext?.Dispose();
        _serverContext?.Dispose();
    }

    private void OnHandshakeFailed(DtlsPath path, string why)
    {
        _outer.Counters.Add(CoapCounter.HandshakesFailed);

        // It may hold what a stranger or the code of a user said.
        DtlsLog.HandshakeFailed(_outer.Logger, path.Remote.ToString(), ForeignText.LineOf(why));
    }
}
