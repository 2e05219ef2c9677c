using CoAP.NET.Oscore.Telemetry;

namespace CoAP.NET.Oscore.Sequences;

/// <summary>
/// The sequence numbers of a sender (RFC 8613 section 7.2.1, appendix B.1.1). It assigns each once, and only after the store has confirmed
/// that no later process begins below it. It requests the next numbers when half of the current ones are used, so that senders rarely wait.
/// Thread-safe, also under the locks of callers: a thread of the scheduler calls the store.
/// </summary>
internal sealed class OscoreSequence
{
    /// <summary>The exclusive upper limit of all numbers: 2^40.</summary>
    public const ulong End = 1UL << 40;

    /// <summary>The number from which <see cref="TakeWarning"/> warns: nine tenths of all.</summary>
    public const ulong WarningMark = End / 10 * 9;

    /// <summary>The minimum and initial size of a reservation.</summary>
    public const ulong MinStep = 32;

    /// <summary>The maximum size of a reservation.</summary>
    public const ulong MaxStep = 16_384;

    public static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(30);

    /// <summary>The delay after a failure before the next call of the store; until then the sequence uses the confirmed numbers.</summary>
    public static readonly TimeSpan RetryDelay = TimeSpan.FromSeconds(1);

    // A reservation that lasts for less is too small, one that lasts for more too large.
    private static readonly TimeSpan s_shortest = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(10);

    private readonly Lock _gate = new();

    // Null if there is no store: many contexts are idle, so each keeps only what it needs.
    private readonly Reservations? _reservations;
    private ulong _next;
    private ulong _granted;
    private bool _isClosed;
    private bool _isWarned;

    /// <summary>Creates a sequence whose numbers a store confirms.</summary>
    /// <param name="store">The store that opened the context.</param>
    /// <param name="key">The context.</param>
    /// <param name="state">The state from the store.</param>
    /// <param name="scheduler">Runs the calls of the store.</param>
    /// <param name="time">The clock of the timeout and of the rate.</param>
    public OscoreSequence(IOscoreStore store, OscoreStoreKey key, OscoreStoredState state, CoapThreadScheduler scheduler, TimeProvider time)
    {
        _reservations = new Reservations(store, key, state.Epoch, scheduler, time);
        _next = _granted = Math.Min(state.Next, End);
    }

    private OscoreSequence() => _granted = End;

    /// <summary>The next number, if it is allowed.</summary>
    public ulong Next
    {
        get
        {
            lock (_gate)
            {
                return _next;
            }
        }
    }

    /// <summary>Whether <see cref="TryTake"/> has a number now.</summary>
    public bool HasOne
    {
        get
        {
            lock (_gate)
            {
                return HasOneLocked;
            }
        }
    }

    /// <summary>The exception for a sender that gets no number.</summary>
    public Exception Refusal
    {
        get
        {
            lock (_gate)
            {
                return RefusalLocked();
            }
        }
    }

    /// <summary>Creates a sequence that begins at 0 without a store: only for keys that end with the process.</summary>
    public static OscoreSequence Volatile() => new();

    /// <summary>Sets the telemetry of the first endpoint that uses the context, for events of the store.</summary>
    public void ReportTo(OscoreTelemetry telemetry, OscoreContext context)
    {
        lock (_gate)
        {
            if (_reservations is { } reservations)
            {
                reservations.Listener ??= new Listener(telemetry, context);
            }
        }
    }

    /// <summary>Takes a number without waiting.</summary>
    public SenderSequenceNumberResult TryTake(out ulong number)
    {
        TaskCompletionSource? begun;
        SenderSequenceNumberResult result;
        lock (_gate)
        {
            number = _next;
            bool hasOne = HasOneLocked;
            if (hasOne)
            {
                _next++;
            }

            begun = BeginLocked();
            result = hasOne ? SenderSequenceNumberResult.Taken
                : _reservations?.Pending is not null ? SenderSequenceNumberResult.NotGranted
                : SenderSequenceNumberResult.Refused;
        }

        Ask(begun);
        return result;
    }

    /// <summary>Waits until there may be a number. Other callers may take it first: call <see cref="TryTake"/> again.</summary>
    /// <returns>
    /// A task that ends when the store has confirmed numbers. Without a token, continuations run on the thread of the store's completion.
    /// </returns>
    /// <exception cref="OscoreStoreException">The store failed, or all numbers are used.</exception>
    /// <exception cref="ObjectDisposedException">The context is closed.</exception>
    public Task WaitAsync(CancellationToken cancellationToken)
    {
        TaskCompletionSource? begun;
        Task task;
        lock (_gate)
        {
            begun = BeginLocked();
            task = HasOneLocked ? Task.CompletedTask
                : _reservations?.Pending is { } pending ? pending.Task
                : Task.FromException(RefusalLocked());
        }

        Ask(begun);
        return task.IsCompleted || !cancellationToken.CanBeCanceled ? task : task.WaitAsync(cancellationToken);
    }

    /// <summary>Takes a number, and waits for the store if necessary.</summary>
    /// <param name="cancellationToken">Cancels the wait, without taking a number.</param>
    /// <exception cref="OscoreStoreException">The store failed, or all numbers are used.</exception>
    /// <exception cref="ObjectDisposedException">The context is closed.</exception>
    public async ValueTask<ulong> TakeAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            switch (TryTake(out ulong number))
            {
                case SenderSequenceNumberResult.Taken:
                    return number;
                case SenderSequenceNumberResult.Refused:
                    throw Refusal;
                default:
                    await WaitAsync(cancellationToken).ConfigureAwait(false);
                    break;
            }
        }
    }

    /// <summary>Requests numbers if there are none, so that the next caller need not wait.</summary>
    public void Prefetch()
    {
        TaskCompletionSource? begun;
        lock (_gate)
        {
            begun = BeginLocked();
        }

        Ask(begun);
    }

    /// <summary>Whether nine tenths of all numbers are used: true once, for the first caller.</summary>
    public bool TakeWarning()
    {
        lock (_gate)
        {
            bool isFirst = !_isWarned && _next >= WarningMark;
            _isWarned |= isFirst;
            return isFirst;
        }
    }

    /// <summary>Assigns no more numbers, and rejects waiting callers.</summary>
    public void Close()
    {
        TaskCompletionSource? pending = null;
        lock (_gate)
        {
            _isClosed = true;
            if (_reservations is { } reservations)
            {
                pending = reservations.Pending;
                reservations.Pending = null;
            }
        }

        Refuse(pending, Closed());
    }

    private bool HasOneLocked => _next < _granted && !_isClosed && _reservations?.Locator?.Loss is null;

    private static ObjectDisposedException Closed() =>
        new(nameof(OscoreSequence), "The security context is closed and cannot send any more.");

    private Exception RefusalLocked() => _isClosed ? Closed()
        : _next >= End ? new OscoreStoreException(OscoreStoreFault.Exhausted,
            "All 2^40 sequence numbers of the security context are used, so nothing more can be sent with it (RFC 8613 section "
                + "7.2.1). Agree on a new Master Secret with the peer, or run EDHOC.")
        : _reservations?.Locator?.Loss is { } loss ? loss
        : _reservations?.Failure is { } failure ? new OscoreStoreException(failure.Fault, failure.Message, failure.InnerException)
        : new OscoreStoreException(OscoreStoreFault.Failed, "The endpoint has no reserved sequence number and sent nothing. Try again.");

    // The caller starts the reservation after it leaves the gate: a scheduler may run work immediately.
    private TaskCompletionSource? BeginLocked()
    {
        if (_reservations is not { Pending: null } ours || _isClosed || _granted >= End || _granted - _next > ours.Step / 2
            || (ours.Failure is { } failure
                && (failure.Fault == OscoreStoreFault.Superseded || ours.Time.GetElapsedTime(ours.Failed) < RetryDelay)))
        {
            return null;
        }

        long now = ours.Time.GetTimestamp();
        TimeSpan lasted = ours.Time.GetElapsedTime(ours.Asked, now);
        ours.Step = ours.Step == 0 ? MinStep
            : lasted < s_shortest ? Math.Min(ours.Step * 2, MaxStep)
            : lasted > s_longest ? Math.Max(ours.Step / 2, MinStep)
            : ours.Step;
        ours.Asked = now;
        return ours.Pending = new TaskCompletionSource();
    }

    private void Ask(TaskCompletionSource? begun)
    {
        if (begun is not null
            && !_reservations!.Scheduler.TryQueue(static state => _ = ((OscoreSequence)state!).AskAsync(), this, null, null)
            && Fail(begun, new OscoreStoreException(OscoreStoreFault.Failed,
                "No thread is available to reserve sequence numbers. The endpoint sent nothing; the process has too many threads.")))
        {
            // The caller may hold a lock, under which logging is not allowed.
            _reservations.Listener?.Telemetry.Count(OscoreMetric.ReservationFailed);
        }
    }

    private async Task AskAsync()
    {
        Reservations ours = _reservations!;
        TaskCompletionSource? pending;
        ulong bound;
        lock (_gate)
        {
            pending = ours.Pending;

            // Not below an earlier request: it may have taken effect although it failed.
            ours.AskedBound = Math.Min(Math.Max(_granted + ours.Step, ours.AskedBound), End);
            bound = ours.AskedBound;
        }

        if (pending is null)
        {
            return;
        }

        try
        {
            // Does not wait for a store that ignores the token. Its late end is harmless, because later calls have no smaller bound.
            using CancellationTokenSource given = new(StoreTimeout, ours.Time);
            using CancellationTokenRegistration registration = given.Token.UnsafeRegister(
                _ => FailAndReport(pending, AsStoreException(new TimeoutException())), null);
            await ours.Store.ReserveAsync(ours.Key, ours.Epoch, bound, given.Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // senders get any exception of the store
        catch (Exception exception)
#pragma warning restore CA1031
        {
            FailAndReport(pending, AsStoreException(exception));
            return;
        }

        ulong more;
        lock (_gate)
        {
            if (ours.Pending != pending)
            {
                return;
            }

            ours.Pending = null;
            ours.Failure = null;
            more = bound - _granted;
            _granted = bound;
        }

        if (ours.Listener is var (telemetry, context))
        {
            telemetry.Count(OscoreMetric.Reserved);
            telemetry.Count(OscoreMetric.NumbersReserved, (long)more);
            if (TakeWarning())
            {
                telemetry.NumbersNearlyUsed(context);
            }
        }

        pending.TrySetResult();
    }

    private void FailAndReport(TaskCompletionSource pending, OscoreStoreException exception)
    {
        if (Fail(pending, exception) && _reservations!.Listener is var (telemetry, context))
        {
            telemetry.StoreFailed(context, exception);
        }
    }

    // False if it was already over.
    private bool Fail(TaskCompletionSource pending, OscoreStoreException exception)
    {
        Reservations ours = _reservations!;
        lock (_gate)
        {
            if (ours.Pending != pending)
            {
                return false;
            }

            ours.Pending = null;
            ours.Failure = exception;
            ours.Failed = ours.Time.GetTimestamp();
        }

        Refuse(pending, exception);
        return true;
    }

    private static void Refuse(TaskCompletionSource? pending, Exception exception)
    {
        if (pending is not null && pending.TrySetException(exception))
        {
            // Observes the exception even if no caller waits, as for prefetched numbers.
            _ = pending.Task.Exception;
        }
    }

    private static OscoreStoreException AsStoreException(Exception exception) => exception switch
    {
        OscoreStoreException known => known,
        TimeoutException or OperationCanceledException => new OscoreStoreException(OscoreStoreFault.TimedOut,
            $"The store of sequence numbers did not confirm a reservation within {StoreTimeout.TotalSeconds:N0} s. The endpoint sent "
            + "nothing; check the disk or the database of the store.", exception),
        _ => new OscoreStoreException(OscoreStoreFault.Failed,
            $"The store of sequence numbers failed: {exception.Message} The endpoint sent nothing, because unconfirmed numbers could "
            + "occur twice.", exception),
    };

    // The state of reservations at the store. Guarded by the gate.
    private sealed class Reservations(IOscoreStore store, OscoreStoreKey key, ulong epoch, CoapThreadScheduler scheduler, TimeProvider time)
    {
        public IOscoreStore Store => store;

        public IOscoreContextLocator? Locator { get; } = store as IOscoreContextLocator;

        public OscoreStoreKey Key => key;

        public ulong Epoch => epoch;

        public CoapThreadScheduler Scheduler => scheduler;

        public TimeProvider Time => time;

        public ulong Step { get; set; }

        public ulong AskedBound { get; set; }

        public long Asked { get; set; }

        public long Failed { get; set; }

        public OscoreStoreException? Failure { get; set; }

        public TaskCompletionSource? Pending { get; set; }

        public Listener? Listener { get; set; }
    }

    private sealed record Listener(OscoreTelemetry Telemetry, OscoreContext Context);
}
