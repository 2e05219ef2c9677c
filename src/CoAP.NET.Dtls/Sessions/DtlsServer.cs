using System.Collections.Concurrent;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// All sessions and handshakes of a server (RFC 6347): datagrams in, messages and datagrams out. Strangers get an answer and no memory until they return a cookie. Owns no socket and no thread. Thread safe.
/// </summary>
internal sealed partial class DtlsServer : IDtlsSessionHome, IDisposable
{
    /// <summary>Bytes of the Connection IDs that are given out: too many to be guessed or to meet.</summary>
    public const int CidLength = 8;

    // So many go at a time when their time is over, so that a tick stays short.
    private const int MaxEvictionsPerTick = 1_000;

    private static readonly TimeSpan s_cookieKeyLifetime = TimeSpan.FromMinutes(2);

    private readonly HandshakeContext _context;
    private readonly DtlsServerLimits _limits;
    private readonly ICoapPskStore? _keys;
    private readonly Func<X509Certificate2, X509Certificate2Collection, bool>? _validate;
    private readonly Action<Action> _run;
    private readonly TimeProvider _time;
    private readonly CookieMint _cookies;
    private readonly SessionTable _sessions;
    private readonly ConcurrentDictionary<DtlsPath, PendingHandshake> _pending = new();
    private readonly HandshakeTable _handshakes;
    private bool _isDisposed;

    /// <summary>Makes a server.</summary>
    /// <param name="context">What its handshakes have in common.</param>
    /// <param name="limits">How much it keeps.</param>
    /// <param name="keys">Knows pre-shared keys, or null.</param>
    /// <param name="validate">Decides about certificates of clients, or null: none is trusted.</param>
    /// <param name="sink">Whom it talks to.</param>
    /// <param name="time">The clock.</param>
    /// <param name="random">Where cookies, Connection IDs and decoys come from.</param>
    /// <param name="run">Runs the work of a handshake, on another thread than that which receives.</param>
    public DtlsServer(
        HandshakeContext context,
        DtlsServerLimits limits,
        ICoapPskStore? keys,
        Func<X509Certificate2, X509Certificate2Collection, bool>? validate,
        IDtlsSink sink,
        TimeProvider time,
        CoapRandomSource random,
        Action<Action> run)
    {
        _context = context;
        _limits = limits;
        _keys = keys;
        _validate = validate;
        Sink = sink;
        Random = random;
        _time = time;
        _run = run;
        _cookies = new CookieMint(random, time, s_cookieKeyLifetime);
        _sessions = new SessionTable(time, random);
        _handshakes = new HandshakeTable(limits.MaxHandshakesPerAddress, limits.MaxHandshakes);
    }

    public IDtlsSink Sink { get; }

    public CoapRandomSource Random { get; }

    /// <summary>Which clients count as one.</summary>
    public SourceRule Sources
    {
        init => _sessions.Keys.Rule = value;
    }

    /// <summary>What happened so far.</summary>
    public DtlsServerCounters Counters { get; init; } = new();

    /// <summary>How many sessions there are.</summary>
    public int SessionCount => _sessions.Count;

    /// <summary>How many handshakes are under way.</summary>
    public int HandshakeCount => _handshakes.Count;

    /// <summary>Now, by the clock's timestamp.</summary>
    public long Now => _time.GetTimestamp();

    /// <summary>Decides about raw public keys of clients (SubjectPublicKeyInfo); null: none is good.</summary>
    public Func<ReadOnlyMemory<byte>, bool>? ValidateRawPublicKey { get; init; }

    /// <summary>Told of handshakes that gave no session, with the reason in words.</summary>
    public Action<DtlsPath, string>? HandshakeFailed { get; init; }

    TimeProvider IDtlsSessionHome.Time => _time;

    long IDtlsSessionHome.MaxForgeries => _limits.MaxForgeries;

    /// <summary>Runs the work of a handshake.</summary>
    /// <param name="work">The work.</param>
    public void Run(Action work) => _run(work);

    /// <summary>Finds the key of a client.</summary>
    /// <param name="identity">Who it says it is.</param>
    /// <param name="cancellationToken">Stops the look-up.</param>
    public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) => _keys is null ? default : _keys.FindKeyAsync(identity, cancellationToken);

    /// <summary>The session that was heard last from a path; null when there is none.</summary>
    /// <param name="path">The path.</param>
    public DtlsSession? Find(in DtlsPath path) => _sessions.At(path);

    /// <summary>Whether there is a handshake, or a session that only its path tells from others. Takes no lock.</summary>
    /// <param name="path">The path.</param>
    public bool Uses(in DtlsPath path) => _sessions.Find(path) is not null || _pending.ContainsKey(path);

    /// <summary>Ends a session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">Why.</param>
    /// <param name="tells">Whether the peer is told.</param>
#pragma warning disable CA1822 // whose session it is, is for the session to know
    public void End(DtlsSession session, DtlsEnd reason, bool tells) => session.End(reason, tells);
#pragma warning restore CA1822

    /// <summary>Does what is due: deadlines of handshakes, messages that are to be said again, sessions that were silent for long. To be called several times a second while there are handshakes.</summary>
    public void Tick()
    {
        foreach (PendingHandshake pending in _pending.Values)
        {
            if (_time.GetElapsedTime(pending.Since) < _limits.HandshakeTimeout)
            {
                pending.Tick();
            }
            else
            {
                GiveUp(pending, "The client did not finish the handshake in time.");
            }
        }

        _sessions.DropLastFlights();
        for (int i = 0; i < MaxEvictionsPerTick && _sessions.TakeIdle(_limits.IdleTimeout) is { } session; i++)
        {
            session.End(DtlsEnd.Evicted, tells: true);
        }
    }

    /// <summary>Ends all handshakes and sessions, and tells peers. Those of sessions that were saved notice nothing.</summary>
    public void Dispose()
    {
        Volatile.Write(ref _isDisposed, true);

        foreach (PendingHandshake pending in _pending.Values)
        {
            _ = pending.GiveUp("The server stops.");
            Forget(pending);
        }

        foreach (DtlsSession session in _sessions.Shut())
        {
            session.End(session.IsSaved ? DtlsEnd.Saved : DtlsEnd.Closed, tells: !session.IsSaved);
        }
    }

    void IDtlsSessionHome.OnMoved(DtlsSession session, in DtlsPath from, in DtlsPath to)
    {
        if (to.Remote != from.Remote)
        {
            Counters.AddMove();
        }

        _sessions.Move(session, from);
    }

    void IDtlsSessionHome.OnEnded(DtlsSession session, DtlsEnd reason)
    {
        Counters.AddEnd(reason);
        _sessions.Remove(session);
        if (reason == DtlsEnd.FailedByPeer && session.ResumptionId is { } id && _context.Settings.SessionStore is { } store && store.TryTake(id, out byte[]? state))
        {
            // RFC 5246 section 7.2.2: what failed is not resumed.
            CryptographicOperations.ZeroMemory(state);
        }
    }
}
