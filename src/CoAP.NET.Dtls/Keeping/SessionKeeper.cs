using System.Buffers.Binary;
using System.Runtime.ExceptionServices;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// Decides when sessions of a server are handed to its <see cref="ICoapDtlsSessionKeeper"/>: when they are made, need numbers, were heard,
/// and have ended. Thread-safe; calls nobody under its lock.
/// </summary>
internal sealed class SessionKeeper : IDisposable
{
    private readonly CoapDtlsSessionKeeping _keeping;
    private readonly DtlsServer _server;
    private readonly SessionTable _sessions;
    private readonly DtlsServerLimits _limits;
    private readonly TimeProvider _time;
    private readonly StateSeal _seal;
    private readonly KeeperQueue _queue;
    private readonly Lock _gate = new();

    // Those that wait for numbers, and since when, by the clock's timestamp.
    private readonly Dictionary<KeptDtlsSession, long> _waiting = [];
    private long _heardAt;

    /// <summary>Makes one.</summary>
    /// <param name="keeping">Who keeps, and how.</param>
    /// <param name="server">The server.</param>
    /// <param name="sessions">Its sessions.</param>
    /// <param name="limits">How many it takes, and for how long.</param>
    /// <param name="time">The clock.</param>
    public SessionKeeper(CoapDtlsSessionKeeping keeping, DtlsServer server, SessionTable sessions, DtlsServerLimits limits,
        TimeProvider time)
    {
        _keeping = keeping;
        _server = server;
        _sessions = sessions;
        _limits = limits;
        _time = time;
        _seal = new StateSeal(keeping.Key, server.Random);
        _queue = new KeeperQueue(keeping.Keeper, StateOf, server.Run, time, limits.MaxSessions);
        _heardAt = time.GetTimestamp();
        Doubts = new ReplayDoubts(server, time);
        Early = new EarlyRecords(server, sessions);
        EarlyMessages = new EarlyMessages(server.Counters, sessions);
        Loading = new SessionLoading(this, server, sessions, limits, _seal);
    }

    /// <summary>Puts sessions that were kept into the server.</summary>
    public SessionLoading Loading { get; }

    /// <summary>Holds requests of sessions of which nobody knows what came last.</summary>
    public ReplayDoubts Doubts { get; }

    /// <summary>Holds records of sessions that wait for their numbers.</summary>
    public EarlyRecords Early { get; }

    /// <summary>Holds messages to clients of such sessions.</summary>
    public EarlyMessages EarlyMessages { get; }

    /// <summary>Whether sessions are only kept when the server stops.</summary>
    public bool IsForStopsOnly => _keeping.IsForStopsOnly;

    /// <summary>Told when a batch was not kept, with the reason.</summary>
    public Action<Exception>? Failed
    {
        init => _queue.Failed = value;
    }

    /// <summary>Makes a session of what its handshake left.</summary>
    /// <param name="established">What it left.</param>
    /// <param name="path">Where the peer is.</param>
    /// <param name="slot">Its slot; null where there are none.</param>
    public KeptDtlsSession Make(Established established, in DtlsPath path, byte? slot = null)
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

        KeptDtlsSession session = new(established, path, _server, id);
        if (!IsForStopsOnly)
        {
            session.BeginToCount();
        }

        return session;
    }

    /// <summary>A session was made, or loaded, and is in the table.</summary>
    /// <param name="session">The session.</param>
    public void OnOpened(KeptDtlsSession session)
    {
        session.IsOpened = true;

        // One that was loaded is handed over when it needs numbers: most of many devices sleep, and a start is to cost them nothing.
        if (!IsForStopsOnly && !session.IsHandedOver)
        {
            _queue.Post(session);
        }
    }

    /// <summary>A session has asked for numbers.</summary>
    /// <param name="session">The session.</param>
    public void OnAsked(KeptDtlsSession session) => _queue.Post(session);

    /// <summary>A session begins to wait for numbers.</summary>
    /// <param name="session">The session.</param>
    public void OnWaiting(KeptDtlsSession session)
    {
        lock (_gate)
        {
            _waiting[session] = _time.GetTimestamp();
        }
    }

    /// <summary>A session waits no more: what it was to send goes, and what came is taken.</summary>
    /// <param name="session">The session.</param>
    public void OnConfirmed(KeptDtlsSession session)
    {
        EarlyMessages.Release(session);
        Early.Release(session);
    }

    /// <summary>A session has ended.</summary>
    /// <param name="session">The session.</param>
    /// <param name="reason">Why.</param>
    public void OnEnded(KeptDtlsSession session, DtlsEnd reason)
    {
        Doubts.Forget(session);
        Loading.TakeSeen(session);
        OnConfirmed(session);

        // One that was never opened may have the name of one that is.
        if (session.IsOpened && !IsForStopsOnly && reason is not (DtlsEnd.Saved or DtlsEnd.TakenOver))
        {
            Forget(session);
        }
    }

    /// <summary>What was kept of a session is of no use.</summary>
    /// <param name="session">The session.</param>
    public void Forget(KeptDtlsSession session) =>
        _queue.Add(ChangeOf(session, CoapDtlsSessionChangeKind.Ended, default, _time.GetUtcNow()));

    /// <summary>Does what is due: tells of what was heard, tries again, ends sessions that wait for too long.</summary>
    public void Tick()
    {
        if (IsForStopsOnly)
        {
            return;
        }

        long now = _time.GetTimestamp();
        long since = Volatile.Read(ref _heardAt);
        if (_time.GetElapsedTime(since, now) >= _keeping.HeardInterval
            && Interlocked.CompareExchange(ref _heardAt, now, since) == since)
        {
            // What another process has heard is noted already.
            foreach (KeptDtlsSession session in _sessions.HeardSince(since).Cast<KeptDtlsSession>())
            {
                if (!session.IsUntouched)
                {
                    _queue.PostLater(session);
                }
            }
        }

        _queue.Go();
        foreach (KeptDtlsSession session in TakeOverdue())
        {
            session.End(DtlsEnd.Unconfirmed, tells: true);
        }
    }

    /// <summary>Loads what was kept. Each session has its numbers confirmed when it needs some.</summary>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>How many sessions were taken over.</returns>
    /// <exception cref="Exception">What the keeper threw. It may load the rest later.</exception>
    public async ValueTask<int> StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await _keeping.Keeper.StartAsync(new CoapDtlsSessionLoader(Loading), cancellationToken).ConfigureAwait(false);
        }
        catch (Exception exception) when (exception is not OperationCanceledException)
        {
            // The server starts nevertheless: with what was loaded before, and what its keeper loads later is opened at once.
            Loading.TakeFirst();
            throw;
        }

        return Loading.TakeFirst();
    }

    /// <summary>Ends a session without a word to its peer, as it lives on where it is loaded.</summary>
    /// <param name="session">The session.</param>
    /// <param name="confirmation">Told when it is kept; null: nobody waits for it.</param>
    public void EndToKeep(KeptDtlsSession session, Confirmation? confirmation = null)
    {
        using StateWriter writer = new();
        bool isKept = session.TryWrite(writer, isLast: true, _server.Sink.Retire(session).Span, out _);
        if (isKept)
        {
            confirmation?.Add();
            _queue.Add(ChangeOf(session, CoapDtlsSessionChangeKind.Stopped, _seal.Seal(writer.Written), ExpiresOf(session)), confirmation);
        }

        session.End(isKept ? DtlsEnd.Saved : DtlsEnd.Closed, tells: !isKept);
    }

    /// <summary>Ends sessions to be kept while the server goes on, and waits until they are.</summary>
    /// <param name="released">The sessions.</param>
    /// <param name="cancellationToken">Ends the waiting.</param>
    /// <exception cref="TimeoutException">The keeper took too long.</exception>
    public async Task ReleaseAsync(IEnumerable<KeptDtlsSession> released, CancellationToken cancellationToken)
    {
        Confirmation confirmation = new();
        foreach (KeptDtlsSession session in released)
        {
            EndToKeep(session, confirmation);
        }

        try
        {
            await confirmation.WhenAllAsync().WaitAsync(_keeping.ConfirmTimeout, _time, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException exception)
        {
            throw new TimeoutException(
                $"The keeper of sessions did not confirm within {_keeping.ConfirmTimeout:c} that it has those that were released. They "
                    + "have ended here; whoever loads them takes them as after a crash. Look why the store is slow or away.", exception);
        }
    }

    /// <summary>Ends all sessions to be kept, and waits until they are.</summary>
    /// <exception cref="Exception">What the keeper threw.</exception>
    /// <exception cref="TimeoutException">The keeper took too long.</exception>
    public async Task StopAsync()
    {
        Loading.Stop();
        foreach (DtlsSession session in _sessions.Shut())
        {
            EndToKeep((KeptDtlsSession)session);
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
            failure = new TimeoutException($"The keeper of sessions did not end within {_keeping.ConfirmTimeout:c}.");
        }

        await _keeping.Keeper.StopAsync(until.Token).ConfigureAwait(false);
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

    // In which state a session is now; null when there is nothing to keep.
    private (CoapDtlsSessionChange Change, ulong Asked)? StateOf(KeptDtlsSession session)
    {
        using StateWriter writer = new();
        CoapDtlsSessionChangeKind kind = !session.IsHandedOver && !session.IsWaiting ? CoapDtlsSessionChangeKind.Made
            : session.AsksForNumbers ? CoapDtlsSessionChangeKind.Reserved
            : CoapDtlsSessionChangeKind.Heard;
        if (!session.TryWrite(writer, isLast: false, [], out ulong asked))
        {
            return null;
        }

        session.IsHandedOver = true;
        return (ChangeOf(session, kind, _seal.Seal(writer.Written), ExpiresOf(session)), asked);
    }

    private static CoapDtlsSessionChange ChangeOf(
        KeptDtlsSession session, CoapDtlsSessionChangeKind kind, ReadOnlyMemory<byte> state, DateTimeOffset expires) =>
        new(kind, session.IdBytes(), state, expires) { Stamp = session.Stamp };

    private DateTimeOffset ExpiresOf(DtlsSession session)
    {
        TimeSpan left = _limits.IdleTimeout - session.Idle;
        return _time.GetUtcNow() + (left > TimeSpan.Zero ? left : TimeSpan.Zero);
    }

    private List<KeptDtlsSession> TakeOverdue()
    {
        lock (_gate)
        {
            if (_waiting.Count == 0)
            {
                return [];
            }

            List<KeptDtlsSession> overdue = [];
            foreach ((KeptDtlsSession session, long since) in _waiting)
            {
                bool isOverdue = _time.GetElapsedTime(since) >= _keeping.ConfirmTimeout;
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
                // There may have been very many.
                _waiting.TrimExcess();
            }

            return overdue;
        }
    }

    private CancellationTokenSource Until() => new(_keeping.ConfirmTimeout, _time);
}
