using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Channels;
using CoAP.NET.Dtls.Cookies;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// All sessions and handshakes of a server (RFC 6347): datagrams in, messages and datagrams out. Strangers get an answer and no memory until they return a cookie. Owns no socket and no thread. Thread safe.
/// </summary>
internal sealed partial class DtlsServer : IDisposable
{
    /// <summary>Bytes of the Connection IDs that are given out: too many to be guessed or to meet.</summary>
    public const int CidLength = 8;

    private static readonly TimeSpan s_cookieKeyLifetime = TimeSpan.FromMinutes(2);

    private readonly HandshakeContext _context;
    private readonly DtlsServerLimits _limits;
    private readonly ICoapPskStore? _keys;
    private readonly Func<X509Certificate2, X509Certificate2Collection, bool>? _validate;
    private readonly Action<Action> _run;
    private readonly TimeProvider _time;
    private readonly CookieMint _cookies;
    private readonly ConcurrentDictionary<(DtlsPath Path, bool IsCandidate), object> _peers = new();
    private readonly ConcurrentDictionary<ulong, DtlsSession> _byCid = new();
    private readonly Lock _countGate = new();
    private readonly SourceCounts _handshakes;
    private bool _isDisposed;
    private int _sessionCount;

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
        _handshakes = new SourceCounts(limits.MaxHandshakesPerAddress, limits.MaxHandshakes);
    }

    public IDtlsSink Sink { get; }

    public CoapRandomSource Random { get; }

    /// <summary>How many sessions there are.</summary>
    public int SessionCount => Volatile.Read(ref _sessionCount);

    /// <summary>How many handshakes are under way.</summary>
    public int HandshakeCount
    {
        get
        {
            lock (_countGate)
            {
                return _handshakes.Total;
            }
        }
    }

    /// <summary>Runs the work of a handshake.</summary>
    /// <param name="work">The work.</param>
    public void Run(Action work) => _run(work);

    /// <summary>Finds the key of a client.</summary>
    /// <param name="identity">Who it says it is.</param>
    /// <param name="cancellationToken">Stops the look-up.</param>
    public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) => _keys is null ? default : _keys.FindKeyAsync(identity, cancellationToken);

    /// <summary>A handshake is done: its session takes the place of one that the peer may have had.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="established">What it left.</param>
    public void OnDone(PendingHandshake pending, Established established)
    {
        Forget(pending);
        DtlsSession session = new(established, pending.Path, Sink, _time);
        if (Volatile.Read(ref _isDisposed))
        {
            session.End(DtlsEnd.Closed, tells: true);
            return;
        }

        if (session.OwnCid.Length > 0)
        {
            _byCid[CidOf(session.OwnCid)] = session;
        }

        Interlocked.Increment(ref _sessionCount);
        object? before = null;
        _peers.AddOrUpdate((pending.Path, false), session, (_, old) =>
        {
            before = old;
            return session;
        });

        // Whoever holds keys has shown more than an address: only now does the old session go (RFC 6347 section 4.2.8).
        if (before is DtlsSession old && old.Path == pending.Path)
        {
            End(old, DtlsEnd.Replaced, tells: false);
        }

        Sink.Opened(session);
        MakeRoom();
    }

    /// <summary>A handshake gave no session.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="why">In words.</param>
    public void OnFailed(PendingHandshake pending, string why)
    {
        Forget(pending);
        HandshakeFailed?.Invoke(pending.Path, why);
    }

    /// <summary>Told of handshakes that gave no session, with the reason in words.</summary>
    public Action<DtlsPath, string>? HandshakeFailed { get; init; }

    /// <summary>Ends a session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">Why.</param>
    /// <param name="tells">Whether the peer is told.</param>
    public void End(DtlsSession session, DtlsEnd reason, bool tells)
    {
        if (session.End(reason, tells))
        {
            Remove(session);
        }
    }

    /// <summary>Does what is due: deadlines of handshakes, messages that are to be said again, sessions that were silent for long. To be called several times a second while there are handshakes.</summary>
    public void Tick()
    {
        foreach (((DtlsPath Path, bool IsCandidate) key, object peer) in _peers)
        {
            if (peer is PendingHandshake pending)
            {
                if (_time.GetElapsedTime(pending.Since) < _limits.HandshakeTimeout)
                {
                    pending.Tick();
                }
                else
                {
                    pending.GiveUp("The client did not finish the handshake in time.");
                    OnFailed(pending, "The client did not finish the handshake in time.");
                }
            }
            else if (peer is DtlsSession session && session.Idle > _limits.IdleTimeout)
            {
                End(session, DtlsEnd.Evicted, tells: true);
            }
        }
    }

    public void Dispose()
    {
        Volatile.Write(ref _isDisposed, true);
        foreach (object peer in _peers.Values)
        {
            if (peer is DtlsSession session)
            {
                End(session, DtlsEnd.Closed, tells: true);
            }
            else if (peer is PendingHandshake pending)
            {
                pending.GiveUp("The server stops.");
                Forget(pending);
            }
        }
    }

    private void Remove(DtlsSession session)
    {
        Interlocked.Decrement(ref _sessionCount);
        _peers.TryRemove(new KeyValuePair<(DtlsPath, bool), object>((session.Path, false), session));
        if (session.OwnCid.Length > 0)
        {
            _byCid.TryRemove(new KeyValuePair<ulong, DtlsSession>(CidOf(session.OwnCid), session));
        }
    }

    private void Forget(PendingHandshake pending)
    {
        if (_peers.TryRemove(new KeyValuePair<(DtlsPath, bool), object>((pending.Path, true), pending)))
        {
            lock (_countGate)
            {
                _handshakes.Remove(pending.Path.Remote);
            }
        }
    }

    private void MakeRoom()
    {
        // Rare, so a look at all of them is cheap enough; a batch goes at a time, so that it stays rare.
        if (SessionCount <= _limits.MaxSessions)
        {
            return;
        }

        int count = Math.Max(1, _limits.MaxSessions / 100);
        foreach (DtlsSession session in _peers.Values.OfType<DtlsSession>().OrderByDescending(static session => session.Idle).Take(count).ToArray())
        {
            End(session, DtlsEnd.Evicted, tells: true);
        }
    }
}
