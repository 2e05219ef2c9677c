namespace CoAP.NET.Resources;

/// <summary>
/// Requests that wait for a handler. A limited number of them runs at a time on threads of the library, each until it is answered. A
/// limited number waits, and each source has a share of the remaining places. A thread serves one request after another and ends when none
/// waits. Besides the first thread, others start only if <see cref="HandlerThreadLimiter"/> leaves room.
/// </summary>
/// <remarks>
/// Where the places are for threads, a request runs until the handler returns its task, because a handler that awaits has no thread. These
/// are the queues of handlers that the library moved to its threads, and of <see cref="ExecutionKind.Offloaded"/>.
/// <see cref="RunningRequestCounter"/>
/// counts the requests without an answer, with a share for each source.
/// </remarks>
internal sealed class HandlerWorkQueue : IHandlerQueue
{
    private readonly Queue<(PendingHandlerCall Call, CoapQuotaSource? Source)> _waiting = new();

    // Null when the only limit is the waiting time.
    private readonly SourceCounter? _sources;
    private readonly Lock _gate = new();
    private readonly CoapThreadScheduler _scheduler;

    // Those of the endpoint, from the first request.
    private HandlerThreadLimiter? _threads;
    private readonly int _parallelism;
    private readonly int _capacity;
    private readonly bool _isForThreads;
    private readonly bool _limitsWait;
    private readonly CoapEnvironment _environment;
    private readonly HandlerCostEstimator? _aside;
    private int _running;
    private bool _isAsking;

    /// <param name="environment">The environment, for the threads.</param>
    /// <param name="parallelism">The maximum number of running requests.</param>
    /// <param name="capacity">The maximum number of waiting requests.</param>
    /// <param name="isForThreads">
    /// Whether a request runs until its handler returns its task. The threads then count against
    /// <see cref="UserCodePolicy.MaxSlowThreads"/>.
    /// </param>
    /// <param name="limitsWait">Whether requests wait at most for <see cref="UserCodePolicy.LongestWait"/>.</param>
    /// <param name="aside">
    /// Judges whether the handler must run on these threads; null when the application chose them. Only where the places are for threads.
    /// </param>
    public HandlerWorkQueue(
        CoapEnvironment environment, int parallelism, int capacity, bool isForThreads = false, bool limitsWait = false,
        HandlerCostEstimator? aside = null)
    {
        _environment = environment;
        _aside = aside;
        _scheduler = environment.Scheduler;
        _parallelism = parallelism;
        _capacity = capacity;
        _sources = capacity == int.MaxValue ? null : new SourceCounter(int.MaxValue, int.MaxValue);
        _isForThreads = isForThreads;
        _limitsWait = limitsWait;
    }

    /// <summary>Whether requests wait. Read without the lock, so it is a hint.</summary>
    public bool HasWaiting => _waiting.Count > 0;

    /// <summary>Runs a request now or later.</summary>
    /// <param name="call">The request.</param>
    /// <param name="watch">If not null and the request need not wait, it runs on this thread under this watch.</param>
    /// <returns>False if the request was refused.</returns>
    public bool TryRun(in PendingHandlerCall call, HandlerCostEstimator? watch = null)
    {
        bool asks = false;
        lock (_gate)
        {
            _threads = call.Stage.Served.Threads;
            if (_running >= _parallelism)
            {
                return TryWait(call, _capacity);
            }

            if (_running == 0 || _threads is null or { HasCapacity: true })
            {
                _running++;
            }
            else if (!TryWait(call, (long)_capacity + _parallelism - _running))
            {
                return false;
            }
            else
            {
                asks = true;
                if (_isAsking)
                {
                    return true;
                }

                _isAsking = true;
            }
        }

        if (asks)
        {
            _threads!.Ask(this);
            return true;
        }

        if (watch is not null)
        {
            if (call.Run.Execute(call, this, watch))
            {
                OnDone();
            }

            return true;
        }

        if (TryStartThread(call))
        {
            return true;
        }

        lock (_gate)
        {
            // A running request takes the next one from the queue when it is done; if none runs, this request must be refused.
            _running--;
            return _running > 0 && TryWait(call, _capacity);
        }
    }

    /// <summary>
    /// Handles the answer of a running request. The next one gets a thread of its own, because the caller may be a receiving thread, or one
    /// of the application.
    /// </summary>
    public void OnDone()
    {
        if (TryNext(out PendingHandlerCall next) && !TryStartThread(next))
        {
            Serve(next);
        }
    }

    /// <inheritdoc/>
    public bool TryStartNext(out bool waitsForMore)
    {
        PendingHandlerCall call = default;
        lock (_gate)
        {
            // One runs already: otherwise no thread would serve the waiting ones.
            bool starts = _running < _parallelism && TryDequeue(out call);
            waitsForMore = _isAsking = starts && _waiting.Count > 0;
            if (!starts)
            {
                return false;
            }

            _running++;
        }

        if (TryStartThread(call))
        {
            return true;
        }

        // No thread is available: a later check may find one, and until then this request is the last waiting one.
        lock (_gate)
        {
            Enqueue(call, SourceOf(call));
            _running--;
            if (_running > 0)
            {
                return false;
            }

            _running++;
            TryDequeue(out call);
        }

        call.Stage.Refuse(call.Exchange);
        OnDone();
        return false;
    }

    private static void RunThread(object? state)
    {
        (HandlerWorkQueue queue, PendingHandlerCall call) = ((HandlerWorkQueue, PendingHandlerCall))state!;
        bool isEntered = queue.TryEnter();
        try
        {
            queue.Serve(call);
        }
        finally
        {
            if (isEntered)
            {
                queue._threads!.Leave();
            }

            queue.GiveBack(call);
        }
    }

    // A thread that cannot be sampled counts as a computing one. It serves all the same, because nobody else would answer its request.
    private bool TryEnter()
    {
        try
        {
            _threads?.Enter();
            return _threads is not null;
        }
#pragma warning disable CA1031 // see above
        catch (Exception exception)
#pragma warning restore CA1031
        {
            _environment.Counters.Add(CoapCounter.StageErrors);
            Log.StageFailed(_environment.Logger, exception);
            return false;
        }
    }

    private bool TryStartThread(in PendingHandlerCall call)
    {
        if (_isForThreads && !call.Stage.Served.TryTakeSlowThread())
        {
            return false;
        }

        _threads?.Reserve();
        if (_scheduler.TryQueue(RunThread, (this, call), call.Stage.Environment.Counters, call.Stage.Environment.Logger))
        {
            return true;
        }

        GiveBack(call);
        return false;
    }

    private void GiveBack(in PendingHandlerCall call)
    {
        _threads?.Release();
        if (_isForThreads)
        {
            call.Stage.Served.GiveSlowThreadBack();
        }
    }

    private void Serve(PendingHandlerCall call)
    {
        while (Execute(call))
        {
            if (TryStepBack() || !TryNext(out call))
            {
                return;
            }
        }
    }

    private bool Execute(in PendingHandlerCall call)
    {
        // As many as run at a time wait about as long as one call takes, however long that is.
        if (_waiting.Count >= _parallelism && call.WaitingSince is { } since && HasWaited(call, since, UserCodePolicy.LongestWait))
        {
            call.Stage.Refuse(call.Exchange);
            return true;
        }

        if (!_isForThreads)
        {
            return call.Run.Execute(call, this, watch: null);
        }

        // The thread is free afterwards, whether or not the request has its answer.
        long started = _aside is null ? 0 : _environment.Now;
        call.Run.Execute(call, queue: null, watch: null);
        _aside?.ObserveAside(_environment.Now - started);
        return true;
    }

    // A surplus thread ends before it takes the next request; another thread of the queue continues, or asks again.
    private bool TryStepBack()
    {
        if (_threads is null)
        {
            return false;
        }

        bool asks;
        lock (_gate)
        {
            if (_running <= 1 || _waiting.Count == 0 || !_threads.TryTakeSurplus())
            {
                return false;
            }

            _running--;
            asks = !_isAsking;
            _isAsking = true;
        }

        if (asks)
        {
            _threads.Ask(this);
        }

        return true;
    }

    private bool TryWait(in PendingHandlerCall call, long capacity)
    {
        int waiting = _waiting.Count;
        if (waiting >= capacity || HasStopped())
        {
            return false;
        }

        CoapQuotaSource? source = SourceOf(call);
        if (source is { } asking && _sources!.CountOf(asking) > RunningRequestQuota.MaxOfSource(capacity - waiting, capacity))
        {
            return false;
        }

        Enqueue(_limitsWait ? call with { WaitingSince = _environment.Now } : call, source);
        return true;
    }

    // No thread takes the first one, or those before it: further ones need not wait to learn that.
    private bool HasStopped() =>
        _waiting.TryPeek(out (PendingHandlerCall Call, CoapQuotaSource? Source) first) && first.Call.WaitingSince is { } since
            && HasWaited(first.Call, since, UserCodePolicy.StoppedAfter);

    // A request that continues an operation waits longer: refusing it would waste the earlier work.
    private bool HasWaited(in PendingHandlerCall call, long since, TimeSpan limit) =>
        _environment.Now - since
            > limit.Ticks * (ResourceInboundBlock.Continues(call.Exchange) ? UserCodePolicy.WaitsOfContinuations : 1);

    // A request that continues an operation has no source: refusing it would waste the earlier work.
    private CoapQuotaSource? SourceOf(in PendingHandlerCall call)
    {
        if (_sources is null || ResourceInboundBlock.Continues(call.Exchange))
        {
            return null;
        }

        CoapChannel channel = call.Exchange.Channel;
        return call.Stage.Environment.Sources.Of(channel.Remote, channel.PeerId);
    }

    private void Enqueue(in PendingHandlerCall call, CoapQuotaSource? source)
    {
        if (source is { } asking)
        {
            _sources!.TryAdd(asking);
        }

        _waiting.Enqueue((call, source));
    }

    private bool TryDequeue(out PendingHandlerCall call)
    {
        bool isThere = _waiting.TryDequeue(out (PendingHandlerCall Call, CoapQuotaSource? Source) next);
        if (next.Source is { } source)
        {
            _sources!.Remove(source);
        }

        call = next.Call;
        return isThere;
    }

    private bool TryNext(out PendingHandlerCall call)
    {
        lock (_gate)
        {
            if (TryDequeue(out call))
            {
                return true;
            }

            _running--;
            return false;
        }
    }
}
