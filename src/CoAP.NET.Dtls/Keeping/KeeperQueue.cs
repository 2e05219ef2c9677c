using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.Keeping;

/// <summary>
/// What a keeper of sessions is still to be told: one batch at a time, on a thread of handshakes, and again after a while where it fails. A
/// session stands in line at most once, and its state is taken when its turn comes, so what waits is bounded by the sessions that there
/// are, however slow the keeper is. Thread-safe; calls nobody under its lock.
/// </summary>
/// <param name="keeper">Keeps them.</param>
/// <param name="stateOf">In which state a session is now; null when there is nothing to keep.</param>
/// <param name="run">Has another thread do something.</param>
/// <param name="time">The clock.</param>
/// <param name="mostEnded">How many sessions that ended wait at most; what was kept of others expires by itself.</param>
internal sealed class KeeperQueue(
    ICoapDtlsSessionKeeper keeper,
    Func<KeptDtlsSession, (CoapDtlsSessionChange Change, ulong Asked)?> stateOf,
    Action<Action> run,
    TimeProvider time,
    int mostEnded) : IDisposable
{
    private const int MaxBatch = 1_000;
    private static readonly TimeSpan s_firstRetry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestRetry = TimeSpan.FromSeconds(30);

    private readonly CancellationTokenSource _canceled = new();
    private readonly Lock _gate = new();
    private readonly Queue<KeptDtlsSession> _pending = new();
    private readonly Queue<(CoapDtlsSessionChange Change, Confirmation? Confirmation)> _finished = new();

    // While batches are handed over; its result is why that ended early.
    private TaskCompletionSource<Exception?>? _round;
    private TimeSpan _retry = s_firstRetry;
    private long _failedAt;
    private bool _hasFailed;
    private bool _isDisposed;

    /// <summary>Told when a batch was not kept, with the reason.</summary>
    public Action<Exception>? Failed { get; set; }

    /// <summary>Hands over the state of a session, soon.</summary>
    /// <param name="session">The session.</param>
    public void Post(KeptDtlsSession session)
    {
        PostLater(session);
        Go();
    }

    /// <summary>Hands over the state of a session with the next <see cref="Go"/>.</summary>
    /// <param name="session">The session.</param>
    public void PostLater(KeptDtlsSession session)
    {
        lock (_gate)
        {
            if (!session.IsPending)
            {
                session.IsPending = true;
                _pending.Enqueue(session);
            }
        }
    }

    /// <summary>Hands over a change of a session that has ended.</summary>
    /// <param name="change">The change.</param>
    /// <param name="confirmation">Told when it is kept; null: nobody waits for it.</param>
    public void Add(CoapDtlsSessionChange change, Confirmation? confirmation = null)
    {
        lock (_gate)
        {
            if (change.Kind != CoapDtlsSessionChangeKind.Ended || _finished.Count < mostEnded)
            {
                _finished.Enqueue((change, confirmation));
            }
        }

        Go();
    }

    /// <summary>Hands over what waits, unless that is under way, or failed a short while ago.</summary>
    public void Go() => _ = Begin(isForced: false);

    /// <summary>Waits until all is handed over, or that fails.</summary>
    /// <returns>Why it failed; null when all is kept.</returns>
    public async Task<Exception?> DrainAsync()
    {
        // What was under way may not have all of it.
        Exception? failure = null;
        while (failure is null && Begin(isForced: true) is { } round)
        {
            failure = await round.ConfigureAwait(false);
        }

        return failure;
    }

    /// <summary>Has the keeper wait for nothing any more.</summary>
    public void Cancel() => _canceled.Cancel();

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
        }

        _canceled.Cancel();
    }

    // The round that is under way, or one that is begun; null when nothing waits, or not yet.
    private Task<Exception?>? Begin(bool isForced)
    {
        TaskCompletionSource<Exception?> round;
        lock (_gate)
        {
            if (_round is not null)
            {
                return _round.Task;
            }

            if (_isDisposed || (_pending.Count == 0 && _finished.Count == 0)
                || (_hasFailed && !isForced && time.GetElapsedTime(_failedAt) < _retry))
            {
                return null;
            }

            _round = round = new TaskCompletionSource<Exception?>(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        run(() => _ = HandOverAsync());
        return round.Task;
    }

    private async Task HandOverAsync()
    {
        List<Item> batch = [];
        try
        {
            while (Take(batch))
            {
                if (batch.Count > 0)
                {
                    try
                    {
                        await keeper.KeepAsync([.. batch.Select(static one => one.Change)], _canceled.Token).ConfigureAwait(false);
                    }
                    finally
                    {
                        // Also of what failed: it may be in the store all the same.
                        Stamp(batch);
                    }

                    OnKept(batch);
                }
            }
        }
#pragma warning disable CA1031 // whatever a keeper of users throws: it is tried again
        catch (Exception exception)
#pragma warning restore CA1031
        {
            OnFailed(batch, exception);
        }
    }

    private static void Stamp(List<Item> batch)
    {
        foreach (Item item in batch)
        {
            if (item.Session is { } session)
            {
                session.Stamp = item.Change.Stamp;
            }
        }
    }

    // False when nothing waits, which ends the round.
    private bool Take(List<Item> batch)
    {
        batch.Clear();
        List<KeptDtlsSession> sessions = [];
        TaskCompletionSource<Exception?>? done = null;
        lock (_gate)
        {
            // Of a session that was loaded again the end of the earlier one comes first.
            while (batch.Count < MaxBatch && _finished.TryDequeue(out (CoapDtlsSessionChange Change, Confirmation? Confirmation) finished))
            {
                batch.Add(new(finished.Change) { Confirmation = finished.Confirmation });
            }

            while (batch.Count + sessions.Count < MaxBatch && _pending.TryDequeue(out KeptDtlsSession? session))
            {
                session.IsPending = false;
                sessions.Add(session);
            }

            if (batch.Count + sessions.Count == 0)
            {
                (done, _round) = (_round, null);
            }
        }

        done?.SetResult(null);
        foreach (KeptDtlsSession session in sessions)
        {
            if (stateOf(session) is var (change, asked))
            {
                batch.Add(new(change) { Session = session, Asked = asked });
            }
        }

        return done is null;
    }

    private void OnKept(List<Item> batch)
    {
        lock (_gate)
        {
            _hasFailed = false;
            _retry = s_firstRetry;
        }

        foreach (Item item in batch)
        {
            if (item.Change.IsRefused)
            {
                item.Session?.End(DtlsEnd.TakenOver, tells: false);
            }
            else
            {
                item.Session?.OnConfirmed(item.Asked);
            }

            item.Confirmation?.End();
        }
    }

    private void OnFailed(List<Item> batch, Exception exception)
    {
        Failed?.Invoke(exception);
        TaskCompletionSource<Exception?>? done;
        lock (_gate)
        {
            foreach (Item item in batch)
            {
                if (item.Session is not { } session)
                {
                    _finished.Enqueue((item.Change, item.Confirmation));
                }
                else if (!session.IsPending)
                {
                    session.IsPending = true;
                    _pending.Enqueue(session);
                }
            }

            _retry = _hasFailed ? TimeSpan.FromTicks(Math.Min(2 * _retry.Ticks, s_longestRetry.Ticks)) : _retry;
            _hasFailed = true;
            _failedAt = time.GetTimestamp();
            (done, _round) = (_round, null);
        }

        done?.SetResult(exception);
    }

    // What a batch has of a session; without one it has ended.
    private readonly record struct Item(CoapDtlsSessionChange Change)
    {
        public KeptDtlsSession? Session { get; init; }

        public ulong Asked { get; init; }

        public Confirmation? Confirmation { get; init; }
    }
}
