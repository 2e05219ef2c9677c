using CoAP.NET.Dtls.Sessions;

namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>
/// Queues changes for a backup of sessions: one batch at a time, on a handshake thread, with a retry after a while on failure. The queue
/// contains a session at most once and takes its state at its turn. So the number of sessions bounds its length, however slow the backup
/// is. Thread-safe; runs no callbacks under its lock.
/// </summary>
/// <param name="backup">The backup.</param>
/// <param name="stateOf">Returns the current state of a session; null if there is nothing to keep.</param>
/// <param name="run">Runs work on another thread.</param>
/// <param name="time">The clock.</param>
/// <param name="mostEnded">Maximum number of ended sessions that wait; the stored states of others expire by themselves.</param>
internal sealed class BackupQueue(
    ICoapDtlsSessionBackup backup,
    Func<DtlsSessionWithBackup, (CoapDtlsSessionChange Change, ulong Asked, (long Until, int Place) Kept)?> stateOf,
    Action<Action> run,
    TimeProvider time,
    int mostEnded) : IDisposable
{
    private const int MaxBatch = 1_000;
    private static readonly TimeSpan s_firstRetry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestRetry = TimeSpan.FromSeconds(30);

    private readonly CancellationTokenSource _canceled = new();
    private readonly Lock _gate = new();
    private readonly Queue<DtlsSessionWithBackup> _pending = new();
    private readonly Queue<(CoapDtlsSessionChange Change, BackupConfirmationCountdown? Confirmation)> _finished = new();

    // Set while it hands over batches; its result is the reason for an early end.
    private TaskCompletionSource<Exception?>? _round;
    private TimeSpan _retry = s_firstRetry;
    private long _failedAt;
    private bool _hasFailed;
    private bool _isDisposed;

    /// <summary>Runs when the backup did not keep a batch, with the reason.</summary>
    public Action<Exception>? Failed { get; set; }

    /// <summary>Hands over the state of a session soon.</summary>
    /// <param name="session">The session.</param>
    public void Post(DtlsSessionWithBackup session)
    {
        PostLater(session);
        Go();
    }

    /// <summary>Hands over the state of a session with the next <see cref="Go"/>.</summary>
    /// <param name="session">The session.</param>
    public void PostLater(DtlsSessionWithBackup session)
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

    /// <summary>Queues the final change of a session that has ended.</summary>
    /// <param name="change">The change.</param>
    /// <param name="confirmation">Completes when the backup has kept it; null for none.</param>
    public void Add(CoapDtlsSessionChange change, BackupConfirmationCountdown? confirmation = null)
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

    /// <summary>Hands over the queue, unless that is already in progress or failed a short while ago.</summary>
    public void Go() => _ = Begin(isForced: false);

    /// <summary>Waits until the queue is handed over, or that fails.</summary>
    /// <returns>The reason of a failure; null if the backup kept everything.</returns>
    public async Task<Exception?> DrainAsync()
    {
        // A round in progress may not include everything.
        Exception? failure = null;
        while (failure is null && Begin(isForced: true) is { } round)
        {
            failure = await round.ConfigureAwait(false);
        }

        return failure;
    }

    /// <summary>Cancels the waits of the backup.</summary>
    public void Cancel() => _canceled.Cancel();

    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
        }

        _canceled.Cancel();
    }

    // Returns the round in progress or a new one; null if nothing is waiting, or not yet due.
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
                        await backup.SaveAsync([.. batch.Select(static one => one.Change)], _canceled.Token).ConfigureAwait(false);
                    }
                    finally
                    {
                        // Also for a failed batch: the store may contain it nevertheless.
                        Stamp(batch);
                    }

                    OnKept(batch);
                }
            }
        }
#pragma warning disable CA1031 // retries after any exception of a user's backup
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

    // False if nothing is waiting, which ends the round.
    private bool Take(List<Item> batch)
    {
        batch.Clear();
        List<DtlsSessionWithBackup> sessions = [];
        TaskCompletionSource<Exception?>? done = null;
        lock (_gate)
        {
            // If a session was loaded again, the end of the earlier one comes first.
            while (batch.Count < MaxBatch
                && _finished.TryDequeue(out (CoapDtlsSessionChange Change, BackupConfirmationCountdown? Confirmation) finished))
            {
                batch.Add(new(finished.Change) { Confirmation = finished.Confirmation });
            }

            while (batch.Count + sessions.Count < MaxBatch && _pending.TryDequeue(out DtlsSessionWithBackup? session))
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
        foreach (DtlsSessionWithBackup session in sessions)
        {
            if (stateOf(session) is var (change, asked, kept))
            {
                batch.Add(new(change) { Session = session, Asked = asked, Kept = kept });
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
                item.Session?.End(DtlsSessionEndReason.TakenOver, tells: false);
            }
            else if (item.Session is { } session)
            {
                session.ConfirmedState = item.Kept;
                session.OnConfirmed(item.Asked);
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

    // An entry of a batch; without a session, that session has ended.
    private readonly record struct Item(CoapDtlsSessionChange Change)
    {
        public DtlsSessionWithBackup? Session { get; init; }

        public ulong Asked { get; init; }

        // Of the session, once this change is kept.
        public (long Until, int Place) Kept { get; init; }

        public BackupConfirmationCountdown? Confirmation { get; init; }
    }
}
