using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster.Writing;

/// <summary>Writes records asynchronously: it queues changes and writes them to the store in batches. Thread-safe.</summary>
/// <remarks>
/// It writes only the newest of several changes of one record. While the store is unavailable, changes wait within limits, and the server
/// continues. Confirmed changes are never lost.
/// <para>When the queue is full, hints are dropped first, then state, the oldest first; promises stay, and further ones are refused
/// (<see cref="CoapRecordPriority"/>). Dropped changes are counted (<see cref="CoapRecordWriterCounters.Dropped"/>): the server still has
/// the state, and loses it with its process. Write all changes of a record through one writer, otherwise their order is undefined.</para>
/// </remarks>
internal sealed class CoapRecordWriteQueue : IAsyncDisposable
{
    private readonly ICoapClusterStore _store;
    private readonly CoapRecordWriterOptions _options;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly Lock _gate = new();
    private readonly PendingRecords _pending;
    private readonly List<(long Number, TaskCompletionSource Done)> _flushes = [];
    private readonly CancellationTokenSource _stop = new();
    private readonly WakeSignal _wake = new();
    private CoapStoreHealth _health;
    private Task? _loop;
    private Task? _end;
    private bool _isStopping;
    private long _written;
    private long _fenced;
    private long _dropped;
    private long _refused;
    private long _batches;
    private long _failures;

    /// <summary>Creates a writer. It is inactive before the first change.</summary>
    /// <param name="store">The store, which the caller disposes of.</param>
    /// <param name="options">Limits and times, read-only from now on; null for the defaults.</param>
    /// <param name="timeProvider">The clock; null for the system clock.</param>
    /// <param name="logger">The log of store failures; null for none.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public CoapRecordWriteQueue(
        ICoapClusterStore store, CoapRecordWriterOptions? options = null, TimeProvider? timeProvider = null, ILogger? logger = null)
    {
        ArgumentNullException.ThrowIfNull(store);
        _store = store;
        _options = (options ?? new CoapRecordWriterOptions()).Checked();
        _time = timeProvider ?? TimeProvider.System;
        _logger = logger ?? NullLogger.Instance;
        _pending = new PendingRecords(_options);
        _health = new CoapStoreHealth(null, _time.GetUtcNow());
    }

    /// <summary>Raised when <see cref="Health"/> has changed, on the thread that noticed it.</summary>
    public event EventHandler? HealthChanged;

    // Read before each sequence number of OSCORE is taken.
    public CoapStoreHealth Health => Volatile.Read(ref _health);

    /// <summary>Returns the counters of changes by outcome, and of pending ones.</summary>
    /// <returns>The counters.</returns>
    public CoapRecordWriterCounters GetCounters()
    {
        lock (_gate)
        {
            return new CoapRecordWriterCounters
            {
                Waiting = _pending.Count,
                WaitingBytes = _pending.Bytes,
                Written = _written,
                Fenced = _fenced,
                Replaced = _pending.Replaced,
                Dropped = _pending.Dropped + _dropped,
                Refused = _refused,
                Batches = _batches,
                Failures = _failures,
            };
        }
    }

    /// <summary>Queues a change without waiting.</summary>
    /// <param name="change">The change. The memory of its state must not change afterwards.</param>
    /// <param name="isHint">Whether a newer change follows soon anyway, so that this one is dropped first when the queue is full
    /// (<see cref="CoapRecordPriority.Hint"/>).</param>
    /// <returns>True if it was queued. False, and counted as dropped, if all pending changes are more important, or after disposal.
    /// </returns>
    public bool TryWrite(CoapRecordWrite change, bool isHint = false)
    {
        Check(change);
        return TryAdd(change, isHint ? CoapRecordPriority.Hint : CoapRecordPriority.State, null);
    }

    /// <summary>
    /// Writes a change with the next batch, and waits until the store has confirmed it, or a newer one of the same record under the same
    /// fence.
    /// </summary>
    /// <remarks>Use it for state that must not be used before, such as reserved numbers.</remarks>
    /// <param name="change">The change. The memory of its state must not change afterwards.</param>
    /// <param name="cancellationToken">Stops waiting; the change is written nevertheless.</param>
    /// <returns>Whether the change was accepted under its fence.</returns>
    /// <exception cref="CoapClusterStoreException">The queue is full of promises (<see cref="CoapClusterStoreFault.Busy"/>), or the writer
    /// was disposed of before the store accepted the change (<see cref="CoapClusterStoreFault.Unavailable"/>).</exception>
    public Task<CoapWriteOutcome> WriteAsync(CoapRecordWrite change, CancellationToken cancellationToken = default)
    {
        Check(change);
        if (cancellationToken.IsCancellationRequested)
        {
            return Task.FromCanceled<CoapWriteOutcome>(cancellationToken);
        }

        TaskCompletionSource<CoapWriteOutcome> waiter = new(TaskCreationOptions.RunContinuationsAsynchronously);
        if (!TryAdd(change, CoapRecordPriority.Promise, waiter))
        {
            return Task.FromException<CoapWriteOutcome>(Refusal());
        }

        return cancellationToken.CanBeCanceled ? waiter.Task.WaitAsync(cancellationToken) : waiter.Task;
    }

    /// <summary>Waits until all previously queued changes were written, rejected or dropped.</summary>
    public Task FlushAsync(CancellationToken cancellationToken = default)
    {
        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        lock (_gate)
        {
            if (_pending.Oldest > _pending.Newest)
            {
                return Task.CompletedTask;
            }

            _flushes.Add((_pending.Newest, done));
        }

        _wake.Wake();
        return done.Task.WaitAsync(cancellationToken);
    }

    /// <summary>
    /// Writes the pending changes, for at most <see cref="CoapRecordWriterOptions.StopTimeout"/>. The rest counts as dropped.
    /// </summary>
    /// <returns>A task that completes then.</returns>
    public ValueTask DisposeAsync()
    {
        lock (_gate)
        {
            _end ??= EndAsync(_loop);
            _isStopping = true;
        }

        _wake.Wake();
        return new ValueTask(_end);
    }

    private static void Check(CoapRecordWrite change)
    {
        if (change.Key.Bytes.Length == 0)
        {
            throw new ArgumentException("The key of a change is empty. Use a key with at least one byte.", nameof(change));
        }
    }

    private bool TryAdd(CoapRecordWrite change, CoapRecordPriority weight, TaskCompletionSource<CoapWriteOutcome>? waiter)
    {
        PendingRecordChange? outdated;
        bool isUrgent;
        lock (_gate)
        {
            outdated = null;
            if (_isStopping || !_pending.TryAdd(change, weight, waiter, out outdated))
            {
                _ = waiter is null ? _dropped++ : _refused++;
                return false;
            }

            isUrgent = weight == CoapRecordPriority.Promise || _pending.HasBatch || _pending.Count == 1;
            _loop ??= RunAsync();
        }

        outdated?.Report(CoapWriteOutcome.Fenced);
        if (isUrgent)
        {
            _wake.Wake();
        }

        return true;
    }

    private CoapClusterStoreException Refusal()
    {
        lock (_gate)
        {
            return _isStopping
                ? Ended(null)
                : new CoapClusterStoreException(CoapClusterStoreFault.Busy,
                    $"{_pending.Count} changes are pending, all with waiting callers (MaxRecords, MaxBytes). "
                    + (_health.Failure is { } failure
                        ? $"The store is unavailable: {failure.Message}"
                        : "The store is slower than the changes. Try again later."),
                    _health.Failure);
        }
    }

    private static CoapClusterStoreException Ended(Exception? failure) => new(CoapClusterStoreFault.Unavailable,
        "The writer of records was disposed of before the store accepted this change.", failure);

    private async Task RunAsync()
    {
        // Never on the thread of the first caller.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        TimeSpan retry = _options.FirstRetry;
        try
        {
            while (await WaitForWorkAsync().ConfigureAwait(false))
            {
                CoapRecordWrite[] batch;
                lock (_gate)
                {
                    batch = _pending.Take();
                }

                if (await TryWriteAsync(batch).ConfigureAwait(false))
                {
                    retry = _options.FirstRetry;
                    await PauseAsync(_options.Interval, HasReasonToHurry).ConfigureAwait(false);
                }
                else
                {
                    // More waiting changes must not increase the retries of an unavailable store. The end makes one immediate attempt.
                    bool stops = IsStopping();
                    await PauseAsync(stops ? _options.FirstRetry : retry, () => !stops && IsStopping()).ConfigureAwait(false);
                    retry = TimeSpan.FromTicks(Math.Min(retry.Ticks * 2, _options.LongestRetry.Ticks));
                }
            }
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            // The time to stop is over.
        }
    }

    // False at the end.
    private async Task<bool> WaitForWorkAsync()
    {
        while (true)
        {
            Task wake;
            lock (_gate)
            {
                if (_pending.HasWaiting)
                {
                    return true;
                }

                if (_isStopping)
                {
                    return false;
                }

                wake = _wake.Next;
            }

            await wake.WaitAsync(_stop.Token).ConfigureAwait(false);
        }
    }

    private bool HasReasonToHurry()
    {
        lock (_gate)
        {
            return _isStopping || _pending.HasPromise || _pending.HasBatch || _flushes.Count > 0;
        }
    }

    private bool IsStopping()
    {
        lock (_gate)
        {
            return _isStopping;
        }
    }

    private async Task PauseAsync(TimeSpan time, Func<bool> isOver)
    {
        if (time == TimeSpan.Zero)
        {
            return;
        }

        using CancellationTokenSource over = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        Task delay = Task.Delay(time, _time, over.Token);
        while (!delay.IsCompleted)
        {
            Task wake = _wake.Next;
            if (isOver())
            {
                break;
            }

            await Task.WhenAny(delay, wake).ConfigureAwait(false);
        }

        await over.CancelAsync().ConfigureAwait(false);
        _stop.Token.ThrowIfCancellationRequested();
    }

    private async Task<bool> TryWriteAsync(CoapRecordWrite[] batch)
    {
        CoapClusterStoreException failure;
        try
        {
            CoapWriteResult result = await _store.WriteAsync(batch, _stop.Token).ConfigureAwait(false);
            if (result.Count == batch.Length)
            {
                OnWritten(result);
                return true;
            }

            failure = new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                $"The store returned {result.Count} outcomes for a batch of {batch.Length} changes.");
        }
        catch (OperationCanceledException) when (_stop.IsCancellationRequested)
        {
            throw;
        }
        catch (CoapClusterStoreException exception)
        {
            failure = exception;
        }
#pragma warning disable CA1031 // the write is retried, regardless of the exception of a store
        catch (Exception exception)
#pragma warning restore CA1031
        {
            failure = new CoapClusterStoreException(CoapClusterStoreFault.Unavailable, $"The store failed: {exception.Message}", exception);
        }

        OnFailed(failure);
        return false;
    }

    private void OnWritten(CoapWriteResult result)
    {
        PendingRecordChange[] records;
        bool isBack;
        lock (_gate)
        {
            records = _pending.Done();
            _batches++;
            _fenced += result.FencedCount;
            _written += result.Count - result.FencedCount;
            isBack = _health.IsDegraded;
            if (isBack)
            {
                _health = new CoapStoreHealth(null, _time.GetUtcNow());
            }
        }

        for (int i = 0; i < records.Length; i++)
        {
            records[i].Report(result[i]);
        }

        ReportsFlushes();
        if (isBack)
        {
            ClusterLog.StoreIsBack(_logger);
            RaiseHealthChanged();
        }
    }

    private void OnFailed(CoapClusterStoreException failure)
    {
        List<PendingRecordChange> outdated;
        bool isNew;
        int waiting;
        lock (_gate)
        {
            outdated = _pending.Again();
            waiting = _pending.Count;
            _failures++;
            isNew = _health.Failure?.Fault != failure.Fault;
            _health = new CoapStoreHealth(failure, _health.IsDegraded ? _health.Since : _time.GetUtcNow());
        }

        foreach (PendingRecordChange record in outdated)
        {
            record.Report(CoapWriteOutcome.Fenced);
        }

        ReportsFlushes();
        if (isNew)
        {
            ClusterLog.StoreFailed(_logger, waiting, failure);
            RaiseHealthChanged();
        }
    }

    private void RaiseHealthChanged()
    {
        try
        {
            HealthChanged?.Invoke(this, EventArgs.Empty);
        }
#pragma warning disable CA1031 // records are written regardless of exceptions of a listener
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ClusterLog.ListenerFailed(_logger, exception);
        }
    }

    private void ReportsFlushes()
    {
        List<TaskCompletionSource> done = [];
        lock (_gate)
        {
            long oldest = _pending.Oldest;
            for (int i = _flushes.Count - 1; i >= 0; i--)
            {
                if (_flushes[i].Number < oldest)
                {
                    done.Add(_flushes[i].Done);
                    _flushes.RemoveAt(i);
                }
            }
        }

        foreach (TaskCompletionSource flush in done)
        {
            flush.TrySetResult();
        }
    }

    private async Task EndAsync(Task? loop)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        if (loop is not null)
        {
            using ITimer timer = _time.CreateTimer(
                static state => ((CancellationTokenSource)state!).Cancel(), _stop, _options.StopTimeout, Timeout.InfiniteTimeSpan);
            await loop.ConfigureAwait(false);
        }

        PendingRecordChange[] left;
        CoapStoreHealth health;
        lock (_gate)
        {
            left = _pending.Clear();
            health = _health;
        }

        foreach (PendingRecordChange record in left)
        {
            record.Report(Ended(health.Failure));
        }

        if (left.Length > 0)
        {
            ClusterLog.NotWritten(_logger, left.Length, health.Failure);
        }

        ReportsFlushes();
        _stop.Dispose();
    }
}
