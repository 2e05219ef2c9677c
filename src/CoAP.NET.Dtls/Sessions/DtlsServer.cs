using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Keeping;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Steering;
using CoAP.NET.Transports;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// All sessions and handshakes of a server (RFC 6347): datagrams in, messages and datagrams out. Strangers get an answer and no memory
/// until they return a cookie. Owns no socket and no thread. Thread safe.
/// </summary>
internal sealed class DtlsServer : IDtlsSessionHome, IDisposable
{
    /// <summary>Bytes of the Connection IDs that are given out: too many to be guessed or to meet.</summary>
    public const int CidLength = 8;

    private const byte ClientHelloType = 1;

    // So many go at a time when their time is over, so that a tick stays short.
    private const int MaxEvictionsPerTick = 1_000;

    private readonly HandshakeContext _context;
    private readonly DtlsServerLimits _limits;
    private readonly ICoapPskStore? _keys;
    private readonly Action<Action> _run;
    private readonly TimeProvider _time;
    private readonly SessionTable _sessions;
    private readonly HandshakeIntake _handshakes;

    /// <summary>Makes a server.</summary>
    /// <param name="context">What its handshakes have in common.</param>
    /// <param name="limits">How much it keeps.</param>
    /// <param name="keys">Knows pre-shared keys, or null.</param>
    /// <param name="validate">Decides about certificates of clients, or null: none is trusted.</param>
    /// <param name="sink">Whom it talks to.</param>
    /// <param name="time">The clock.</param>
    /// <param name="random">Where cookies, Connection IDs and decoys come from.</param>
    /// <param name="run">Runs the work of a handshake, on another thread than that which receives.</param>
    /// <param name="cookieKeys">The keys of cookies that other processes make too; null: nobody knows them.</param>
    public DtlsServer(
        HandshakeContext context,
        DtlsServerLimits limits,
        ICoapPskStore? keys,
        Func<X509Certificate2, X509Certificate2Collection, bool>? validate,
        IDtlsSink sink,
        TimeProvider time,
        CoapRandomSource random,
        Action<Action> run,
        CoapEpochKeys? cookieKeys = null)
    {
        _context = context;
        _limits = limits;
        _keys = keys;
        Sink = sink;
        Random = random;
        _time = time;
        _run = run;
        _sessions = new SessionTable(time, random);
        Resumption = context.Settings.AsyncSessionStore is { } store ? new SharedResumption(store, this, time) : null;
        _handshakes = new HandshakeIntake(this, _sessions, context, limits, validate, time, cookieKeys);
    }

    public IDtlsSink Sink { get; }

    public CoapRandomSource Random { get; }

    /// <summary>Which clients count as one.</summary>
    public CoapSourceRule Sources
    {
        init => _sessions.Keys.Rule = value;
    }

    /// <summary>What it shares of sessions that may be resumed; null: nothing.</summary>
    public SharedResumption? Resumption { get; }

    /// <summary>What happened so far.</summary>
    public DtlsServerCounters Counters { get; init; } = new();

    /// <summary>How its sessions are kept; null: they end with it.</summary>
    public CoapDtlsSessionKeeping? Keeping
    {
        init => Keeper = value is null ? null : new SessionKeeper(value, this, _sessions, _limits, _time)
        {
            Failed = exception => KeepingFailed?.Invoke(exception)
        };
    }

    /// <summary>Keeps its sessions; null: they end with it.</summary>
    public SessionKeeper? Keeper { get; private init; }

    /// <summary>Which sessions are here and which at other servers; null: all are here.</summary>
    public ICoapDtlsSteering? SteeredBy
    {
        init
        {
            _sessions.IsShared = value is not null;
            Steering = value is null ? null : new SessionSteering(value, this, _sessions, _time)
            {
                MaxDatagram = MaxDatagram,
                Sockets = Sockets,
                Failed = exception => SteeringFailed?.Invoke(exception),
            };
        }
    }

    /// <summary>Brings datagrams to and from other servers; null: there are none.</summary>
    public SessionSteering? Steering { get; private init; }

    /// <summary>Told what <see cref="SteeredBy"/> threw.</summary>
    public Action<Exception>? SteeringFailed { get; init; }

    /// <summary>The sockets that datagrams come from; null: they come in another way.</summary>
    public CoapUdpTransport? Sockets { get; init; }

    /// <summary>How long a datagram may be that another server relays.</summary>
    public int MaxDatagram { get; init; } = RecordHeader.MaxLength;

    /// <summary>Asks the peer of a session by an Empty message, and waits for its Reset; null: nobody can.</summary>
    public Func<DtlsSession, Task>? Asks { get; init; }

    /// <summary>Told when the keeper did not keep what it was given.</summary>
    public Action<Exception>? KeepingFailed { get; init; }

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

    /// <summary>Asks the peer of a session by an Empty message, and waits for its Reset (RFC 7252 section 4.3).</summary>
    /// <param name="session">The session.</param>
    /// <exception cref="CoapException">It did not answer.</exception>
    public Task AskAsync(DtlsSession session) =>
        Asks?.Invoke(session) ?? Task.FromException(new CoapConnectionException(CoapConnectionError.Lost, "Nobody asks."));

    /// <summary>Finds the key of a client.</summary>
    /// <param name="identity">Who it says it is.</param>
    /// <param name="cancellationToken">Stops the look-up.</param>
    public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken) =>
        _keys is null ? default : _keys.FindKeyAsync(identity, cancellationToken);

    /// <summary>The session that was heard last from a path; null when there is none.</summary>
    /// <param name="path">The path.</param>
    public DtlsSession? Find(in DtlsPath path) => _sessions.At(path);

    /// <summary>Whether there is a handshake, or a session that only its path tells from others. Takes no lock.</summary>
    /// <param name="path">The path.</param>
    public bool Uses(in DtlsPath path) => _sessions.Find(path) is not null || _handshakes.Find(path) is not null;

    /// <summary>Ends a session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">Why.</param>
    /// <param name="tells">Whether the peer is told.</param>
#pragma warning disable CA1822 // whose session it is, is for the session to know
    public void End(DtlsSession session, DtlsEnd reason, bool tells) => session.End(reason, tells);
#pragma warning restore CA1822

    /// <summary>Does what is due: deadlines of handshakes, messages that are to be said again, sessions that were silent for long. To be
    /// called several times a second while there are handshakes.</summary>
    public void Tick()
    {
        _handshakes.Tick();
        _sessions.DropLastFlights();
        for (int i = 0; i < MaxEvictionsPerTick && _sessions.TakeIdle(_limits.IdleTimeout) is { } session; i++)
        {
            session.End(DtlsEnd.Evicted, tells: true);
        }

        Keeper?.Tick();
    }

    /// <summary>Takes a datagram. Messages in it are delivered before this returns; handshakes go on elsewhere.</summary>
    /// <param name="path">How it came.</param>
    /// <param name="datagram">Its bytes; opened in place.</param>
    /// <param name="isSteered">Whether the steering brought it, and is not to be asked about it.</param>
    /// <returns>Whether any part of it was of use.</returns>
    public bool Receive(in DtlsPath path, Span<byte> datagram, bool isSteered = false)
    {
        if (Steering is { IsServing: false })
        {
            // Others may have its session by now. Nothing is opened, so that a copy is as good as new.
            Counters.AddIgnored();
            return false;
        }

        bool isOfUse = false;
        bool isPosted = false;
        int offset = 0;
        int forged = 0;

        // One that is bad harms none behind it; but many tries shall not fit into a datagram.
        while (offset < datagram.Length
            && forged < DtlsSession.MaxForgeriesOfDatagram
            && RecordHeader.TryRead(datagram[offset..], CidLength, out RecordHeader header))
        {
            Span<byte> record = datagram.Slice(offset, header.HeaderLength + header.Length);
            offset += record.Length;
            if (header.Type == ContentType.Tls12Cid && _sessions.Find(header.Cid(record)) is { } session)
            {
                isOfUse |= Deliver(session, header, record, path, ref forged);
            }
            else if (header.Epoch == 0 && IsClientHello(header, record))
            {
                return _handshakes.OnClientHello(path, datagram, isSteered) || isOfUse;
            }
            else if (header.Type != ContentType.ApplicationData && _handshakes.Find(path) is { } candidate)
            {
                // The handshake walks the datagram itself, once.
                isOfUse |= isPosted || Post(candidate, datagram);
                isPosted = true;
            }
            else if (header.Epoch > 0 && header.Type != ContentType.Tls12Cid && _sessions.Find(path) is { } known)
            {
                isOfUse |= Deliver(known, header, record, path, ref forged);
            }
            else if (Steering is { } steering && !isSteered && offset == record.Length && steering.TryRelay(path, datagram))
            {
                // Where nobody knows the first record nothing of the datagram was opened.
                return true;
            }
            else
            {
                Counters.AddIgnored();
            }
        }

        if (offset < datagram.Length || datagram.IsEmpty)
        {
            Counters.AddIgnored();
        }

        return isOfUse;
    }

    /// <summary>A handshake is done: its session takes the place of one that the peer may have had.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="established">What it left.</param>
    /// <param name="isResumed">Whether it resumed an earlier session.</param>
    public void OnDone(PendingHandshake pending, Established established, bool isResumed)
    {
        Counters.AddCompleted(isResumed);
        Open(Keeper?.Make(established, pending.Path, pending.Grant?.Slot)
            ?? new DtlsSession(established, pending.Path, this, isInitiator: false, null));

        // Not before there is a session: what the client sends at once is for that.
        _handshakes.Forget(pending);
    }

    /// <inheritdoc cref="HandshakeIntake.GiveUpAsync"/>
    public Task GiveUpHandshakesAsync(byte slot) => _handshakes.GiveUpAsync(slot);

    /// <summary>A handshake gave no session.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="why">In words.</param>
    public void OnFailed(PendingHandshake pending, string why)
    {
        _handshakes.Forget(pending);
        Counters.AddFailed();
        HandshakeFailed?.Invoke(pending.Path, why);
    }

    /// <summary>Takes a new session: tells of it, and has others make room.</summary>
    /// <param name="session">The session, whose home is this.</param>
    public void Open(DtlsSession session)
    {
        // Whoever is above has it before anything of it is delivered, and may end it at once.
        Sink.Opened(session);
        Add(session);
    }

    /// <summary>Takes sessions that were loaded, in this order.</summary>
    /// <param name="sessions">The sessions.</param>
    public void Open(IReadOnlyList<DtlsSession> sessions)
    {
        // There may be very many at a start, and nobody is served before all are there.
        _sessions.Reserve(sessions.Count);
        new OrderedOpening(sessions, Sink.Opened, Add).Run();
    }

    /// <summary>Ends all handshakes and sessions, and tells peers.</summary>
    public void Dispose()
    {
        _handshakes.Stop();
        foreach (DtlsSession session in _sessions.Shut())
        {
            session.End(DtlsEnd.Closed, tells: true);
        }

        Keeper?.Dispose();
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
        if (session is KeptDtlsSession kept)
        {
            Keeper?.OnEnded(kept, reason);
        }

        if (reason != DtlsEnd.FailedByPeer || session.ResumptionId.IsEmpty)
        {
            return;
        }

        // RFC 5246 section 7.2.2: what failed is not resumed.
        Resumption?.Remove(session.ResumptionId.ToArray());
        if (_context.Settings.SessionStore is { } store && store.TryTake(session.ResumptionId, out byte[]? state))
        {
            CryptographicOperations.ZeroMemory(state);
        }
    }

    private static bool IsClientHello(in RecordHeader header, ReadOnlySpan<byte> record) =>
        header.Type == ContentType.Handshake && record[header.HeaderLength] == ClientHelloType;

    private void Add(DtlsSession session)
    {
        if (!_sessions.TryAdd(session, out IReadOnlyList<DtlsSession> replaced))
        {
            session.End(DtlsEnd.Closed, tells: true);
            return;
        }

        foreach (DtlsSession old in replaced)
        {
            old.End(DtlsEnd.Replaced, tells: false);
        }

        while (_sessions.TakeExcess(_limits, session) is { } excess)
        {
            excess.End(DtlsEnd.Evicted, tells: true);
        }

        if (session is KeptDtlsSession kept)
        {
            Keeper?.OnOpened(kept);
        }
    }

    private bool Post(PendingHandshake pending, ReadOnlySpan<byte> datagram)
    {
        if (pending.Post(datagram))
        {
            return true;
        }

        Counters.AddIgnored();
        return false;
    }

    private bool Deliver(DtlsSession session, in RecordHeader header, Span<byte> record, in DtlsPath path, ref int forged)
    {
        // It is opened in place, and kept as it came.
        KeptDtlsSession? retiring = session is KeptDtlsSession { IsRetiring: true, HasCid: true } ? (KeptDtlsSession)session : null;
        byte[]? held = retiring is null ? null : record.ToArray();
        switch (session.Receive(header, record, path, holdsBack: retiring is not null))
        {
            case OpenResult.Opened:
                _sessions.Touch(session);
                return true;
            case OpenResult.Forged:
                forged++;
                Counters.AddForged(1);
                return false;
            case OpenResult.Replayed:
                Counters.AddReplayed();
                return false;
            case OpenResult.HeldUp or OpenResult.HeldBack when retiring is not null && Steering?.TryHold(retiring, path, held) == true:
            case OpenResult.Foreign when retiring is { IsClosed: true } && Steering?.TryHold(retiring, path, held) == true:
                return true;
            case OpenResult.HeldUp when session is KeptDtlsSession kept && Keeper?.Early.TryHold(kept, path, record) == true:
                return true;
            default:
                Counters.AddIgnored();
                return false;
        }
    }
}
