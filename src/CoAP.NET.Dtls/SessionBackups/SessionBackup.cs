using System.Buffers.Binary;
using System.Runtime.ExceptionServices;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Records;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>
/// Decides when the sessions of a server go to its <see cref="ICoapDtlsSessionBackup"/>: when they are new, need record numbers, have
/// received records, and have ended. Thread-safe; runs no callbacks under its lock.
/// </summary>
internal sealed class SessionBackup : IDisposable
{
    private readonly CoapDtlsSessionBackupOptions _backupOptions;
    private readonly DtlsServer _server;
    private readonly SessionTable _sessions;
    private readonly DtlsServerLimits _limits;
    private readonly TimeProvider _time;
    private readonly SessionStateCipher _seal;
    private readonly BackupQueue _queue;
    private readonly Lock _gate = new();

    // The sessions that wait for numbers, and since when, by the clock's timestamp.
    private readonly Dictionary<DtlsSessionWithBackup, long> _waiting = [];
    private long _heardAt;

    /// <summary>Creates the bookkeeping of a server.</summary>
    /// <param name="backupOptions">The backup, and its settings.</param>
    /// <param name="server">The server.</param>
    /// <param name="sessions">Its sessions.</param>
    /// <param name="limits">Limits of sessions and times.</param>
    /// <param name="time">The clock.</param>
    public SessionBackup(CoapDtlsSessionBackupOptions backupOptions, DtlsServer server, SessionTable sessions, DtlsServerLimits limits,
        TimeProvider time)
    {
        _backupOptions = backupOptions;
        _server = server;
        _sessions = sessions;
        _limits = limits;
        _time = time;
        _seal = new SessionStateCipher(backupOptions, server.Random);
        _queue = new BackupQueue(backupOptions.Backup, StateOf, work => server.Run(SourceHasher.Own, work), time, limits.MaxSessions);
        _heardAt = time.GetTimestamp();
        Doubts = new CrashReplayGuard(server, sessions);
        Early = new UnconfirmedSessionReceiveQueue(server, sessions);
        UnconfirmedSessionSendQueue = new UnconfirmedSessionSendQueue(server.Counters, sessions);
        LoadedSessionCredentialCheck = new LoadedSessionCredentialCheck(server, limits.HandshakeTimeout, time);
        Loading = new SessionLoader(this, server, sessions, limits, _seal);
    }

    /// <summary>Loads kept sessions into the server.</summary>
    public SessionLoader Loading { get; }

    /// <summary>Holds requests of sessions whose last records are unknown.</summary>
    public CrashReplayGuard Doubts { get; }

    /// <summary>Holds records of sessions that wait for their record numbers.</summary>
    public UnconfirmedSessionReceiveQueue Early { get; }

    /// <summary>Holds messages to clients of such sessions.</summary>
    public UnconfirmedSessionSendQueue UnconfirmedSessionSendQueue { get; }

    /// <summary>Checks the credentials of the clients of loaded sessions.</summary>
    public LoadedSessionCredentialCheck LoadedSessionCredentialCheck { get; }

    /// <summary>Whether the server keeps sessions only when it stops.</summary>
    public bool IsForStopsOnly => _backupOptions.IsForStopsOnly;

    /// <summary>Runs when the backup did not keep a batch, with the reason.</summary>
    public Action<Exception>? Failed
    {
        init => _queue.Failed = value;
    }

    /// <summary>Creates a session from the result of its handshake.</summary>
    /// <param name="established">The result of the handshake.</param>
    /// <param name="path">The path to the peer.</param>
    /// <param name="slot">Its slot; null without slots.</param>
    public DtlsSessionWithBackup Make(HandshakeResult established, in DtlsPath path, byte? slot = null)
    {
        ulong id;
        if (established.Records.OwnCid is { Length: DtlsServer.CidLength } cid)
        {
            id = SessionTable.CidOf(cid);
        }
        else
        {
            Span<byte> random = stackalloc byte[sizeof(ulong)];
            _server.Random.Fill(random);
            random[0] = slot ?? random[0];
            id = BinaryPrimitives.ReadUInt64BigEndian(random);
        }

        DtlsSessionWithBackup session = new(established, path, _server, id);
        if (!IsForStopsOnly)
        {
            session.BeginToCount();
        }

        return session;
    }

    /// <summary>Handles a session that is new or loaded, and is in the table.</summary>
    /// <param name="session">The session.</param>
    public void OnOpened(DtlsSessionWithBackup session)
    {
        session.IsOpened = true;

        // A loaded session goes to the backup when it needs numbers: most of many devices sleep, and a start must not cost them anything.
        if (!IsForStopsOnly && !session.IsHandedOver)
        {
            _queue.Post(session);
        }
    }

    /// <summary>Handles a session's request for record numbers.</summary>
    /// <param name="session">The session.</param>
    public void OnAsked(DtlsSessionWithBackup session) => _queue.Post(session);

    /// <summary>Handles a session that begins to wait for record numbers.</summary>
    /// <param name="session">The session.</param>
    public void OnWaiting(DtlsSessionWithBackup session)
    {
        lock (_gate)
        {
            _waiting[session] = _time.GetTimestamp();
        }
    }

    /// <summary>Handles a session that no longer waits: sends its held messages, and processes its held records.</summary>
    /// <param name="session">The session.</param>
    public void OnConfirmed(DtlsSessionWithBackup session)
    {
        UnconfirmedSessionSendQueue.Release(session);
        Early.Release(session);
    }

    /// <summary>Handles the end of a session.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">The reason.</param>
    public void OnEnded(DtlsSessionWithBackup session, DtlsSessionEndReason reason)
    {
        Doubts.Forget(session);
        Loading.TakeSeen(session);
        OnConfirmed(session);

        // A session that was never opened may have the name of one that is open.
        if (session.IsOpened && !IsForStopsOnly && reason is not (DtlsSessionEndReason.Saved or DtlsSessionEndReason.TakenOver))
        {
            Forget(session);
        }
    }

    /// <summary>Requests the removal of a session from the backup.</summary>
    /// <param name="session">The session.</param>
    public void Forget(DtlsSessionWithBackup session) =>
        _queue.Add(ChangeOf(session, CoapDtlsSessionChangeKind.Ended, default, _time.GetUtcNow()));

    /// <summary>Performs due work: reports received records, retries, and ends sessions that wait for too long.</summary>
    public void Tick()
    {
        if (IsForStopsOnly)
        {
            return;
        }

        long now = _time.GetTimestamp();
        long since = Volatile.Read(ref _heardAt);
        if (_time.GetElapsedTime(since, now) >= CoapDtlsSessionBackupOptions.HeardInterval
            && Interlocked.CompareExchange(ref _heardAt, now, since) == since)
        {
            // A state covers already what another process has received.
            foreach (DtlsSessionWithBackup session in _sessions.HeardSince(since).Cast<DtlsSessionWithBackup>())
            {
                if (!session.IsUntouched)
                {
                    _queue.PostLater(session);
                }
            }
        }

        _queue.Go();
        foreach (DtlsSessionWithBackup session in TakeOverdue())
        {
            session.End(DtlsSessionEndReason.Unconfirmed, tells: true);
        }
    }

    /// <summary>Loads the kept sessions. Each session asks for confirmation of record numbers when it needs some.</summary>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The number of sessions loaded.</returns>
    /// <exception cref="Exception">The exception of the backup. It may load the rest later.</exception>
    public async ValueTask<int> StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _backupOptions.Backup.StartAsync(new CoapDtlsSessionLoader(Loading), cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            // The server starts nevertheless with the sessions loaded so far, and opens later ones immediately.
            Loading.TakeFirst();
            throw;
        }

        return Loading.TakeFirst();
    }

    /// <summary>Ends a session without a message to its peer, because it continues where a server loads it.</summary>
    /// <param name="session">The session.</param>
    /// <param name="confirmation">Completes when the backup has kept it; null for none.</param>
    public void EndToKeep(DtlsSessionWithBackup session, BackupConfirmationCountdown? confirmation = null)
    {
        using StateWriter writer = new();
        bool isKept = session.TryWrite(writer, isLast: true, _server.Sink.ExportState(session).Span, out _, out _);
        if (isKept)
        {
            confirmation?.Add();
            _queue.Add(ChangeOf(session, CoapDtlsSessionChangeKind.Stopped, _seal.Seal(writer.Written), ExpiresOf(session)), confirmation);
        }

        session.End(isKept ? DtlsSessionEndReason.Saved : DtlsSessionEndReason.Closed, tells: !isKept);
    }

    /// <summary>Ends sessions for another server while this one continues, and waits until the backup has kept them.</summary>
    /// <param name="released">The sessions.</param>
    /// <param name="cancellationToken">Cancels the wait.</param>
    /// <exception cref="TimeoutException">The backup took too long.</exception>
    public async Task ReleaseAsync(IEnumerable<DtlsSessionWithBackup> released, CancellationToken cancellationToken)
    {
        BackupConfirmationCountdown confirmation = new();
        foreach (DtlsSessionWithBackup session in released)
        {
            EndToKeep(session, confirmation);
        }

        try
        {
            await confirmation.WhenAllAsync().WaitAsync(CoapDtlsSessionBackupOptions.ConfirmTimeout, _time, cancellationToken)
                .ConfigureAwait(false);
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException(
                $"The backup of sessions did not confirm within {CoapDtlsSessionBackupOptions.ConfirmTimeout:c} that it has the released "
                    + "sessions. They have ended here; a server that loads them treats them as after a crash. Check why the store is slow or "
                    + "unavailable.", exception);
        }
    }

    /// <summary>Ends all sessions and waits until the backup has kept them.</summary>
    /// <exception cref="Exception">The exception of the backup.</exception>
    /// <exception cref="TimeoutException">The backup took too long.</exception>
    public async Task StopAsync()
    {
        Loading.Stop();
        foreach (DtlsSession session in _sessions.Shut())
        {
            EndToKeep((DtlsSessionWithBackup)session);
        }

        using CancellationTokenSource until = Until();
        Exception? failure;
        try
        {
            failure = await _queue.DrainAsync().WaitAsync(until.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            _queue.Cancel();
            failure = new TimeoutException($"The backup of sessions did not end within {CoapDtlsSessionBackupOptions.ConfirmTimeout:c}.");
        }

        await _backupOptions.Backup.StopAsync(until.Token).ConfigureAwait(false);
        if (failure is not null)
        {
            ExceptionDispatchInfo.Throw(failure);
        }
    }

    public void Dispose()
    {
        Loading.Stop();
        _queue.Dispose();
        _seal.Dispose();
    }

    // Returns the current state of a session; null if there is nothing to keep.
    private (CoapDtlsSessionChange Change, ulong Asked, (long Until, int Place) Kept)? StateOf(DtlsSessionWithBackup session)
    {
        using StateWriter writer = new();
        CoapDtlsSessionChangeKind kind = !session.IsHandedOver && !session.IsWaiting ? CoapDtlsSessionChangeKind.Made
            : session.AsksForNumbers ? CoapDtlsSessionChangeKind.Reserved
            : CoapDtlsSessionChangeKind.Heard;
        (long Until, int Place) kept = session.ConfirmedState;
        int place = session.ConfirmedPath.GetHashCode();
        if (!session.TryWrite(writer, isLast: false, [], out ulong asked, out SessionRecordNumbers progress))
        {
            return null;
        }

        session.IsHandedOver = true;
        DateTimeOffset expires = ExpiresOf(session);
        if (!_backupOptions.StoresProgress)
        {
            return (ChangeOf(session, kind, _seal.Seal(writer.Written), expires), asked, default);
        }

        if (kept.Place == place && kept.Until >= expires.UtcTicks)
        {
            return (ChangeOf(session, kind, default, expires, progress.ToBytes()), asked, kept);
        }

        // Useful for longer than the session could be silent from now on: later messages change only the progress.
        expires += _limits.IdleTimeout / 2;
        return (ChangeOf(session, kind, _seal.Seal(writer.Written), expires), asked, (expires.UtcTicks, place));
    }

    private static CoapDtlsSessionChange ChangeOf(
        DtlsSessionWithBackup session, CoapDtlsSessionChangeKind kind, ReadOnlyMemory<byte> state, DateTimeOffset expires,
        ReadOnlyMemory<byte> progress = default) =>
        new(kind, session.IdBytes(), state, expires) { Stamp = session.Stamp, Progress = progress };

    private DateTimeOffset ExpiresOf(DtlsSession session)
    {
        TimeSpan left = _limits.IdleTimeout - session.Idle;
        return _time.GetUtcNow() + (left > TimeSpan.Zero ? left : TimeSpan.Zero);
    }

    private List<DtlsSessionWithBackup> TakeOverdue()
    {
        lock (_gate)
        {
            if (_waiting.Count == 0)
            {
                return [];
            }

            List<DtlsSessionWithBackup> overdue = [];
            foreach ((DtlsSessionWithBackup session, long since) in _waiting)
            {
                bool isOverdue = _time.GetElapsedTime(since) >= CoapDtlsSessionBackupOptions.ConfirmTimeout;
                if (!session.IsWaiting || session.IsClosed || isOverdue)
                {
                    _waiting.Remove(session);
                    if (session.IsWaiting && isOverdue)
                    {
                        overdue.Add(session);
                    }
                }
            }

            if (_waiting.Count == 0)
            {
                // The dictionary may have been very large.
                _waiting.TrimExcess();
            }

            return overdue;
        }
    }

    private CancellationTokenSource Until() => new(CoapDtlsSessionBackupOptions.ConfirmTimeout, _time);
}
