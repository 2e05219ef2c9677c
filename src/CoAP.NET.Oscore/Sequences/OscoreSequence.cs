namespace CoAP.NET.Oscore;

/// <summary>
/// The sequence numbers of a sender (RFC 8613 section 7.2.1, appendix B.1.1). Each is given out once, and only after the store has
/// confirmed that no later process begins below. The next numbers are asked for when half of those before are used, so that senders rarely
/// wait. Thread-safe, also under the locks of others: the store is called by a thread of the scheduler.
/// </summary>
internal sealed class OscoreSequence
{
    /// <summary>All numbers are below: 2^40.</summary>
    public const ulong End = 1UL << 40;

    /// <summary>From here on <see cref="TakeWarning"/> warns: nine tenths of all numbers are used.</summary>
    public const ulong WarningMark = End / 10 * 9;

    /// <summary>How many numbers are reserved at first, and at least.</summary>
    public const ulong MinStep = 32;

    /// <summary>How many numbers are reserved at most.</summary>
    public const ulong MaxStep = 16_384;

    /// <summary>How long the store is waited for.</summary>
    public static readonly TimeSpan StoreTimeout = TimeSpan.FromSeconds(30);

    /// <summary>After a failure the store is not asked again for this long; numbers that it has confirmed are used meanwhile.</summary>
    public static readonly TimeSpan RetryDelay = TimeSpan.FromSeconds(1);

    // A reservation that lasts shorter is too small, one that lasts longer too large.
    private static readonly TimeSpan s_shortest = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(10);

    private readonly Lock _gate = new();

    // Null where nobody is asked: of many idle contexts only what each needs is kept.
    private readonly Reservations? _reservations;
    private ulong _next;
    private ulong _granted;
    private bool _isClosed;
    private bool _isWarned;

    /// <summary>Makes one whose numbers a store confirms.</summary>
    /// <param name="store">The store, in which the context was opened.</param>
    /// <param name="key">The context.</param>
    /// <param name="state">What the store gave.</param>
    /// <param name="scheduler">Calls the store.</param>
    /// <param name="time">For the store's time, and for the rate.</param>
    public OscoreSequence(IOscoreStore store, OscoreStoreKey key, OscoreStoredState state, CoapScheduler scheduler, TimeProvider time)
    {
        _reservations = new Reservations(store, key, state.Epoch, scheduler, time);
        _next = _granted = Math.Min(state.Next, End);
    }

    private OscoreSequence() => _granted = End;

    /// <summary>The number that is given out next, if it may be.</summary>
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

    /// <summary>Whether <see cref="TryTake"/> has a number at this moment.</summary>
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

    /// <summary>Why there is no number: what to throw at whoever wants to send.</summary>
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

    /// <summary>Makes one that begins at 0 and asks nobody: right only for keys that end with the process.</summary>
    public static OscoreSequence Volatile() => new();

    /// <summary>The first endpoint that uses the context hears of what the store does.</summary>
    /// <param name="telemetry">That of the endpoint.</param>
    /// <param name="context">The context.</param>
    public void TellTo(OscoreTelemetry telemetry, OscoreContext context)
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
    /// <param name="number">The number.</param>
    public OscoreNumber TryTake(out ulong number)
    {
        TaskCompletionSource? begun;
        OscoreNumber result;
        lock (_gate)
        {
            number = _next;
            bool hasOne = HasOneLocked;
            if (hasOne)
            {
                _next++;
            }

            begun = BeginLocked();
            result = hasOne ? OscoreNumber.Taken
                : _reservations?.Pending is not null ? OscoreNumber.NotGranted
                : OscoreNumber.Refused;
        }

        Ask(begun);
        return result;
    }

    /// <summary>Waits until there may be a number. Others may take it first: <see cref="TryTake"/> again.</summary>
    /// <param name="cancellationToken">Ends the wait.</param>
    /// <returns>A task that ends when the store has confirmed numbers. Without a token, what awaits it goes on in the thread that the store
    /// used.</returns>
    /// <exception cref="OscoreStoreException">The store failed.</exception>
    /// <exception cref="OscoreNumbersExhaustedException">All numbers are used.</exception>
    /// <exception cref="ObjectDisposedException">The context was closed.</exception>
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

    /// <summary>Takes a number, and waits for the store where it must.</summary>
    /// <param name="cancellationToken">Ends the wait; no number is taken then.</param>
    /// <exception cref="OscoreStoreException">The store failed.</exception>
    /// <exception cref="OscoreNumbersExhaustedException">All numbers are used.</exception>
    /// <exception cref="ObjectDisposedException">The context was closed.</exception>
    public async ValueTask<ulong> TakeAsync(CancellationToken cancellationToken)
    {
        while (true)
        {
            switch (TryTake(out ulong number))
            {
                case OscoreNumber.Taken:
                    return number;
                case OscoreNumber.Refused:
                    throw Refusal;
                default:
                    await WaitAsync(cancellationToken).ConfigureAwait(false);
                    break;
            }
        }
    }

    /// <summary>Has numbers reserved where there are none, so that who takes one soon need not wait.</summary>
    public void Prefetch()
    {
        TaskCompletionSource? begun;
        lock (_gate)
        {
            begun = BeginLocked();
        }

        Ask(begun);
    }

    /// <summary>Whether nine tenths of all numbers are used: once true, for whoever asks first.</summary>
    public bool TakeWarning()
    {
        lock (_gate)
        {
            bool isFirst = !_isWarned && _next >= WarningMark;
            _isWarned |= isFirst;
            return isFirst;
        }
    }

    /// <summary>Gives out no more numbers; whoever waits for one is refused.</summary>
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

    private bool HasOneLocked => _next < _granted && !_isClosed;

    private static ObjectDisposedException Closed() =>
        new(nameof(OscoreSequence), "The security context is closed; nothing can be sent with it.");

    private Exception RefusalLocked() => _isClosed ? Closed()
        : _next >= End ? new OscoreNumbersExhaustedException()
        : _reservations?.Failure is { } failure ? new OscoreStoreException(failure.Fault, failure.Message, failure.InnerException)
        : new OscoreStoreException(OscoreStoreFault.Failed, "No sequence number is reserved. Nothing was sent; try again.");

    // What is begun must be asked for after the gate is left: a scheduler may run work at once.
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
                "No thread could be had to reserve sequence numbers. Nothing was sent; the process has too many threads.")))
        {
            // Perhaps under a lock of the caller, where no log may be called.
            _reservations.Listener?.Telemetry.Count(OscoreEvent.ReservationFailed);
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

            // Not below what was asked for before: it may have taken effect although it failed.
            ours.AskedBound = Math.Min(Math.Max(_granted + ours.Step, ours.AskedBound), End);
            bound = ours.AskedBound;
        }

        if (pending is null)
        {
            return;
        }

        try
        {
            // A store that takes no notice of the token is not waited for. That it ends late does no harm, as later calls have no smaller
            // bound.
            using CancellationTokenSource given = new(StoreTimeout, ours.Time);
            using CancellationTokenRegistration registration = given.Token.UnsafeRegister(
                _ => FailAndTell(pending, AsStoreException(new TimeoutException())), null);
            await ours.Store.ReserveAsync(ours.Key, ours.Epoch, bound, given.Token).ConfigureAwait(false);
        }
#pragma warning disable CA1031 // whatever the store throws, senders are told
        catch (Exception exception)
#pragma warning restore CA1031
        {
            FailAndTell(pending, AsStoreException(exception));
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
            telemetry.Count(OscoreEvent.Reserved);
            telemetry.Count(OscoreEvent.NumbersReserved, (long)more);
            if (TakeWarning())
            {
                telemetry.NumbersNearlyUsed(context);
            }
        }

        pending.TrySetResult();
    }

    private void FailAndTell(TaskCompletionSource pending, OscoreStoreException exception)
    {
        if (Fail(pending, exception) && _reservations!.Listener is var (telemetry, context))
        {
            telemetry.StoreFailed(context, exception);
        }
    }

    // False when it was over already.
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
            // Seen, also when nobody waits, as of numbers that are asked for ahead.
            _ = pending.Task.Exception;
        }
    }

    private static OscoreStoreException AsStoreException(Exception exception) => exception switch
    {
        OscoreStoreException known => known,
        TimeoutException or OperationCanceledException => new OscoreStoreException(OscoreStoreFault.TimedOut,
            $"The store of sequence numbers did not confirm a reservation within {StoreTimeout.TotalSeconds:N0} s. Nothing was sent; "
            + "check the disk or the database of the store.", exception),
        _ => new OscoreStoreException(OscoreStoreFault.Failed,
            $"The store of sequence numbers failed: {exception.Message} Nothing was sent; numbers that are not confirmed could be used "
            + "twice.", exception),
    };

    // What is asked of the store, and when. Guarded by the gate.
    private sealed class Reservations(IOscoreStore store, OscoreStoreKey key, ulong epoch, CoapScheduler scheduler, TimeProvider time)
    {
        public IOscoreStore Store => store;

        public OscoreStoreKey Key => key;

        public ulong Epoch => epoch;

        public CoapScheduler Scheduler => scheduler;

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
