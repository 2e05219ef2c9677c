using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.SessionBackups;
using CoAP.NET.Dtls.Steering;
using CoAP.NET.Execution;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// All sessions and handshakes of a server (RFC 6347): datagrams in, messages and datagrams out. A client gets an answer but no memory
/// until it returns a cookie. Owns no socket and no thread. Thread-safe.
/// </summary>
internal sealed class DtlsServer : IDtlsSessionOwner, IDisposable
{
    /// <summary>Bytes of the Connection IDs that the server assigns: too many to guess or to collide.</summary>
    public const int CidLength = 8;

    /// <summary>The option with the key store, in reports of its failures.</summary>
    public const string KeyStoreOption = "CoapDtlsServerOptions.PskStore";

    private const byte ClientHelloType = 1;

    // Maximum evictions of expired sessions per tick, so that a tick stays short.
    private const int MaxEvictionsPerTick = 1_000;

    private readonly SharedHandshakeContext _context;
    private readonly DtlsServerLimits _limits;
    private readonly ICoapPskStore? _keys;
    private readonly Action<uint, Action> _run;
    private readonly TimeProvider _time;
    private readonly SessionTable _sessions;
    private readonly HandshakeAcceptor _handshakes;

    /// <summary>Creates a server.</summary>
    /// <param name="context">The context that its handshakes share.</param>
    /// <param name="limits">Its limits.</param>
    /// <param name="keys">Finds pre-shared keys, or null.</param>
    /// <param name="validate">Validates certificates of clients, or null: trust none.</param>
    /// <param name="sink">Receives its output.</param>
    /// <param name="time">The clock.</param>
    /// <param name="random">The source of cookies, Connection IDs and decoys.</param>
    /// <param name="run">
    /// Runs the work of a handshake on another thread than the receive thread; sources (<see cref="SourceHasher.Of"/>) take turns.
    /// </param>
    /// <param name="cookieKeys">The keys of cookies that other processes share; null for secret keys of its own.</param>
    public DtlsServer(
        SharedHandshakeContext context,
        DtlsServerLimits limits,
        ICoapPskStore? keys,
        Func<X509Certificate2, X509Certificate2Collection, CancellationToken, ValueTask<bool>>? validate,
        IDtlsSessionOutput sink,
        TimeProvider time,
        CoapRandomSource random,
        Action<uint, Action> run,
        RotatingKeyProvider? cookieKeys = null)
    {
        _context = context;
        _limits = limits;
        _keys = keys;
        Sink = sink;
        Random = random;
        _time = time;
        _run = run;
        _sessions = new SessionTable(time, random);
        Resumption = context.Settings.AsyncSessionStore is { } store ? new ResumptionStoreGuard(store, this, time) : null;
        _handshakes = new HandshakeAcceptor(this, _sessions, new ServerHandshakeSettings(context, validate), limits, time, cookieKeys);
    }

    public IDtlsSessionOutput Sink { get; }

    public CoapRandomSource Random { get; }

    /// <summary>The rule that groups clients into sources.</summary>
    public CoapSourceGroupingRule Sources
    {
        init => _sessions.Keys.Rule = value;
    }

    /// <summary>Its shared store of resumable sessions; null for none.</summary>
    public ResumptionStoreGuard? Resumption { get; }

    /// <summary>Counts events of the server.</summary>
    public DtlsServerCounters Counters { get; init; } = new();

    /// <summary>The settings for keeping its sessions; null: they end with it.</summary>
    public CoapDtlsSessionBackupOptions? BackupOptions
    {
        init => SessionBackup = value is null ? null : new SessionBackup(value, this, _sessions, _limits, _time)
        {
            Failed = exception => BackupFailed?.Invoke(exception)
        };
    }

    /// <summary>Keeps its sessions; null: they end with it.</summary>
    public SessionBackup? SessionBackup { get; private init; }

    /// <summary>Decides which sessions belong to this server; null: all.</summary>
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

    /// <summary>Relays datagrams to and from other servers; null for none.</summary>
    public SessionSteering? Steering { get; private init; }

    /// <summary>Runs when <see cref="SteeredBy"/> threw, with the exception.</summary>
    public Action<Exception>? SteeringFailed { get; init; }

    /// <summary>The sockets that datagrams come from; null if they come in another way.</summary>
    public CoapUdpTransport? Sockets { get; init; }

    /// <summary>Maximum length of a datagram that another server relays.</summary>
    public int MaxDatagram { get; init; } = RecordHeader.MaxLength;

    /// <summary>Sends the peer of a session an Empty message, and waits for its Reset; null if not available.</summary>
    public Func<DtlsSession, Task>? ConfirmsSession { get; init; }

    /// <summary>Runs when the backup did not keep a batch, with the reason.</summary>
    public Action<Exception>? BackupFailed { get; init; }

    /// <summary>Number of sessions.</summary>
    public int SessionCount => _sessions.Count;

    /// <summary>Number of pending handshakes.</summary>
    public int HandshakeCount => _handshakes.Count;

    /// <summary>Now, by the clock's timestamp.</summary>
    public long Now => _time.GetTimestamp();

    /// <summary>
    /// Selects what a handshake uses, by the host name that the client requests; it runs on a handshake thread. Null, or if it returns
    /// null: the context and the validation of the server.
    /// </summary>
    public Func<string?, ServerHandshakeSettings?>? SelectRules { get; init; }

    /// <summary>Validates raw public keys of clients (SubjectPublicKeyInfo); null: accept none.</summary>
    public Func<ReadOnlyMemory<byte>, CancellationToken, ValueTask<bool>>? ValidateRawPublicKey { get; init; }

    /// <summary>Gets each message of a handshake, for logs. Null: nothing does.</summary>
    public Action<DtlsPath, HandshakeMessageLogEntry>? Trace { get; init; }

    /// <summary>
    /// Runs when a handshake failed, or cannot succeed because its identity is unknown; once for all copies of its ClientHello.
    /// </summary>
    public Action<FailedClientHandshake>? HandshakeFailed { get; init; }

    /// <summary>
    /// Runs when the Finished of a client does not open with the key of the identity that it claims, with that identity; once for a
    /// handshake. The handshake goes on, because anybody can send such a record.
    /// </summary>
    public Action<DtlsPath, string?>? WrongProof { get; init; }

    /// <summary>Runs when a store of resumable sessions threw, with the option that names it and the exception.</summary>
    public Action<string, Exception>? ResumptionFailed { get; init; }

    /// <summary>Runs when the check of the credentials of a loaded session failed, with the session and the exception.</summary>
    public Action<DtlsSession, Exception>? CheckFailed { get; init; }

    TimeProvider IDtlsSessionOwner.Time => _time;

    long IDtlsSessionOwner.MaxForgeries => _limits.MaxForgeries;

    /// <summary>Runs the work of a handshake, or of a session.</summary>
    /// <param name="source">The source of the client, from <see cref="SourceHasher.Of"/>.</param>
    /// <param name="work">The work.</param>
    public void Run(uint source, Action work) => _run(source, work);

    /// <summary>Sends the peer of a session an Empty message, and waits for its Reset (RFC 7252 section 4.3).</summary>
    /// <param name="session">The session.</param>
    /// <exception cref="CoapException">The peer did not answer.</exception>
    public Task AskAsync(DtlsSession session) =>
        ConfirmsSession?.Invoke(session) ?? Task.FromException(new CoapConnectionException(CoapError.Lost, "The endpoint cannot ask the "
            + "peer."));

    /// <summary>Finds the key of a client.</summary>
    /// <param name="identity">The identity that it claims.</param>
    /// <param name="cancellationToken">Stops the lookup, and the wait for a store that ignores it.</param>
    /// <exception cref="CallbackException">The key store failed before the lookup was stopped.</exception>
    public async ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
    {
        if (_keys is null || identity.Length == 0)
        {
            // No client has the empty identity; it also represents one that is not UTF-8 (RFC 4279 section 5.1).
            return default;
        }

        try
        {
            // A store that ignores its token must not keep this object alive.
            ValueTask<ReadOnlyMemory<byte>> search = _keys.FindKeyAsync(identity, cancellationToken);
            return search.IsCompletedSuccessfully
                ? search.Result
                : await search.AsTask().WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
        {
            throw new CallbackException(KeyStoreOption, exception);
        }
    }

    /// <summary>Finds the session that last received from a path; null for none.</summary>
    /// <param name="path">The path.</param>
    public DtlsSession? Find(in DtlsPath path) => _sessions.At(path);

    /// <summary>Whether there is a handshake over a path, or a session without a Connection ID. Takes no lock.</summary>
    /// <param name="path">The path.</param>
    public bool Uses(in DtlsPath path) => _sessions.Find(path) is not null || _handshakes.Find(path) is not null;

    /// <summary>Ends a session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">The reason.</param>
    /// <param name="tells">Whether to notify the peer.</param>
#pragma warning disable CA1822 // the session itself knows its owner
    public void End(DtlsSession session, DtlsSessionEndReason reason, bool tells) => session.End(reason, tells);
#pragma warning restore CA1822

    /// <summary>
    /// Performs due work: deadlines of handshakes, retransmissions, sessions that were silent for long. Call it several times per second
    /// while handshakes are pending.
    /// </summary>
    public void Tick()
    {
        _handshakes.Tick();
        _sessions.DropLastFlights();
        for (int i = 0; i < MaxEvictionsPerTick && _sessions.TakeIdle(_limits.IdleTimeout) is { } session; i++)
        {
            session.End(DtlsSessionEndReason.Evicted, tells: true);
        }

        SessionBackup?.Tick();
    }

    /// <summary>Processes a datagram. It delivers messages before it returns; handshakes continue on other threads.</summary>
    /// <param name="path">The path that it came from.</param>
    /// <param name="datagram">Its bytes; decrypted in place.</param>
    /// <param name="isSteered">Whether the steering supplied it, so that the server does not offer it again.</param>
    /// <returns>Whether any part of it was useful.</returns>
    public bool Receive(in DtlsPath path, Span<byte> datagram, bool isSteered = false)
    {
        if (Steering is { IsServing: false })
        {
            // Another server may own its session now. Without opening the record, a duplicate stays valid.
            Counters.AddIgnored();
            return false;
        }

        bool isOfUse = false;
        int offset = 0;
        int forged = 0;

        // A bad record does not affect those after it; but a datagram must not have room for many attempts.
        while (offset < datagram.Length
            && forged < DtlsSession.MaxForgeriesOfDatagram
            && RecordHeader.TryRead(datagram[offset..], CidLength, out RecordHeader header))
        {
            Span<byte> record = datagram.Slice(offset, header.HeaderLength + header.Length);
            offset += record.Length;
            if (header.Type == ContentType.Tls12Cid && _sessions.Find(header.Cid(record)) is { } session)
            {
                isOfUse |= Deliver(session, null, header, record, path, ref forged);
            }
            else if (header.Epoch == 0 && IsClientHello(header, record))
            {
                return _handshakes.OnClientHello(path, datagram, isSteered) || isOfUse;
            }
            else if (header is { Epoch: > 0, Type: ContentType.ApplicationData or ContentType.ReturnRoutabilityCheck }
                && _sessions.Find(path) is { } known)
            {
                isOfUse |= Deliver(known, _handshakes.Count == 0 ? null : _handshakes.Find(path), header, record, path, ref forged);
            }
            else if (_handshakes.Find(path) is { } candidate)
            {
                // The handshake walks the rest itself, and gives back what comes after its end.
                return Post(candidate, datagram[(offset - record.Length)..]) || isOfUse;
            }
            else if (header.Epoch > 0 && header.Type != ContentType.Tls12Cid && _sessions.Find(path) is { } owner)
            {
                isOfUse |= Deliver(owner, null, header, record, path, ref forged);
            }
            else if (Steering is { } steering && !isSteered && offset == record.Length && steering.TryRelay(path, datagram))
            {
                // If the first record is unknown, the server has not opened anything of the datagram.
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

    /// <summary>Completes a handshake: its session replaces an earlier one of the peer.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="established">The result of the handshake.</param>
    /// <param name="isResumed">Whether it resumed an earlier session.</param>
    public void OnDone(PendingHandshake pending, HandshakeResult established, bool isResumed)
    {
        Counters.AddCompleted(isResumed);
        Open(SessionBackup?.Make(established, pending.Path, pending.Grant?.Slot)
            ?? new DtlsSession(established, pending.Path, this, isInitiator: false, null));

        // Not before the session exists: data that the client sends immediately is for the session.
        _handshakes.Forget(pending);
    }

    /// <inheritdoc cref="HandshakeAcceptor.GiveUpAsync"/>
    public Task GiveUpHandshakesAsync(byte slot) => _handshakes.GiveUpAsync(slot);

    /// <summary>Handles a failed handshake.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="why">The reason.</param>
    public void OnFailed(PendingHandshake pending, HandshakeFailureReason why)
    {
        _handshakes.Forget(pending);
        Counters.AddFailed();
        if (!pending.IsReported)
        {
            Report(pending, why);
        }
    }

    /// <summary>Reports a handshake that has failed or cannot succeed; the client may have to wait for its end.</summary>
    /// <param name="pending">The handshake.</param>
    /// <param name="why">The reason.</param>
    public void Report(PendingHandshake pending, HandshakeFailureReason why) =>
        _handshakes.Report(pending.Path, pending.Beginning, pending.ClaimedIdentity, why);

    /// <summary>Handles the first Finished of a client that does not open with the key of its identity.</summary>
    /// <param name="pending">The handshake, which goes on.</param>
    public void OnWrongProof(PendingHandshake pending) => WrongProof?.Invoke(pending.Path, pending.ClaimedIdentity);

    /// <summary>Whether clients may resume sessions.</summary>
    public bool CanResume => Resumption is not null || _context.Settings.SessionStore is not null;

    /// <summary>Returns what a handshake uses. Runs code of the application.</summary>
    /// <param name="serverName">The host name that the client requests; null for none.</param>
    public ServerHandshakeSettings RulesFor(string? serverName) => _handshakes.RulesFor(serverName);

    /// <summary>Maximum bytes of the datagrams of a handshake that wait: a flight of the longest kind that a client may send.</summary>
    public int MaxQueuedBytes => ServerHandshakeInputFilter.MaxFlight
        + (AsksForCertificates || SelectRules is not null ? ServerHandshakeInputFilter.MaxCertificates : 0);

    private bool AsksForCertificates => _context.Settings is { RequiresClientCertificate: true } or { RequestsClientCertificate: true };

    /// <summary>Whether a client without credentials is refused.</summary>
    public bool RequiresCredentials => _context.Settings.RequiresClientCertificate;

    /// <summary>Removes a session from the store in memory, to look at it.</summary>
    /// <param name="id">The name from the client.</param>
    /// <returns>Its state, for <see cref="ReturnSession"/>; null if the store does not know it.</returns>
    public byte[]? TakeSession(byte[] id)
    {
        try
        {
            return _context.Settings.SessionStore!.TryTake(id, out byte[]? state) ? state : null;
        }
#pragma warning disable CA1031 // any exception of a user's store costs a full handshake
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _context.Settings.SessionStoreFailed?.Invoke(exception);
            return null;
        }
    }

    /// <summary>Puts a session back into the store in memory.</summary>
    /// <param name="id">Its name.</param>
    /// <param name="state">Its state.</param>
    /// <param name="expires">When the state becomes useless.</param>
    public void ReturnSession(byte[] id, byte[] state, DateTimeOffset expires) => _context.Settings.Store(id, state, expires);

    /// <summary>Handles a failed call to a store of resumable sessions.</summary>
    /// <param name="store">The option that names the store.</param>
    /// <param name="exception">What it threw; null if it was slow or not called.</param>
    public void OnResumptionFailed(string store, Exception? exception)
    {
        Counters.AddResumptionFailure();
        if (exception is not null)
        {
            ResumptionFailed?.Invoke(store, exception);
        }
    }

    /// <summary>Adds a new session, reports it, and evicts others if necessary.</summary>
    /// <param name="session">The session, which belongs to this server.</param>
    public void Open(DtlsSession session)
    {
        // The owner above gets the session before its first message, and may end it immediately.
        Sink.Opened(session);
        Add(session);
    }

    /// <summary>Adds loaded sessions, in this order.</summary>
    /// <param name="sessions">The sessions.</param>
    public void Open(IReadOnlyList<DtlsSession> sessions)
    {
        // A start may load very many, and the server serves no client before all are there.
        _sessions.Reserve(sessions.Count);
        new ParallelSessionLoader(sessions, Sink.Opened, Add).Run();
    }

    /// <summary>Ends all handshakes and sessions, and notifies peers.</summary>
    public void Dispose()
    {
        _handshakes.Stop();
        foreach (DtlsSession session in _sessions.Shut())
        {
            session.End(DtlsSessionEndReason.Closed, tells: true);
        }

        SessionBackup?.Dispose();
    }

    void IDtlsSessionOwner.OnMoved(DtlsSession session, in DtlsPath from, in DtlsPath to)
    {
        if (to.Remote != from.Remote)
        {
            Counters.AddMove();
        }

        _sessions.Move(session, from);
    }

    void IDtlsSessionOwner.OnEnded(DtlsSession session, DtlsSessionEndReason reason)
    {
        Counters.AddEnd(reason);
        _sessions.Remove(session);
        if (session is DtlsSessionWithBackup kept)
        {
            SessionBackup?.OnEnded(kept, reason);
        }

        if (reason != DtlsSessionEndReason.FailedByPeer || session.ResumptionId.IsEmpty)
        {
            return;
        }

        // RFC 5246 section 7.2.2: a failed session must not resume.
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
            session.End(DtlsSessionEndReason.Closed, tells: true);
            return;
        }

        foreach (DtlsSession old in replaced)
        {
            old.End(DtlsSessionEndReason.Replaced, tells: false);
        }

        while (_sessions.TakeExcess(_limits, session) is { } excess)
        {
            excess.End(DtlsSessionEndReason.Evicted, tells: true);
        }

        if (session is DtlsSessionWithBackup kept)
        {
            SessionBackup?.OnOpened(kept);
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

    // A client that begins again over the same path may send right after its Finished, before the next session replaces this one.
    private bool Deliver(
        DtlsSession session, PendingHandshake? next, in RecordHeader header, Span<byte> record, in DtlsPath path, ref int forged)
    {
        // Decryption is in place, but the steering and the next session get the original bytes.
        DtlsSessionWithBackup? retiring = session is DtlsSessionWithBackup { IsRetiring: true, HasCid: true }
            ? (DtlsSessionWithBackup)session : null;
        byte[]? held = retiring is null && next is null ? null : record.ToArray();
        switch (session.Receive(header, record, path, holdsBack: retiring is not null))
        {
            case RecordOpenResult.Opened:
                _sessions.Touch(session);
                return true;
            case RecordOpenResult.Forged when next?.Post(held) == true:
                forged++;
                return true;
            case RecordOpenResult.Forged when next is not null && _sessions.Find(path) is { } newer && newer != session:
                forged++;
                return Deliver(newer, null, header, held, path, ref forged);
            case RecordOpenResult.Forged:
                forged++;
                Counters.AddForged(1);
                return false;
            case RecordOpenResult.Replayed:
                Counters.AddReplayed();
                return false;
            case RecordOpenResult.HeldUp or RecordOpenResult.HeldBack when retiring is not null
                && Steering?.TryEnqueue(retiring, path, held) == true:
            case RecordOpenResult.Foreign when retiring is { IsClosed: true } && Steering?.TryEnqueue(retiring, path, held) == true:
                return true;
            case RecordOpenResult.HeldUp when session is DtlsSessionWithBackup kept
                && SessionBackup?.Early.TryEnqueue(kept, path, record) == true:
                return true;
            default:
                Counters.AddIgnored();
                return false;
        }
    }
}
