namespace CoAP.NET.Resources;

/// <summary>
/// Requests that wait for a handler. A limited number of them runs at a time on threads of the library. A limited number waits, and each
/// source has a share of the remaining places. A thread serves one request after another and ends when none waits. Besides the first
/// thread, others start only if <see cref="HandlerThreadLimiter"/> leaves room.
/// </summary>
/// <remarks>
/// Where the places are for threads (<see cref="CoapExecution.IsForThreads"/>), a request has one until its handler returns its task,
/// because a handler that awaits has no thread; elsewhere until it is answered. <see cref="RunningRequestCounter"/> counts the requests
/// without an answer, with a share for each source.
/// </remarks>
internal sealed class HandlerWorkQueue : IHandlerQueue
{
    private readonly Queue<(PendingHandlerCall Call, CoapQuotaSource? Source, long Since)> _waiting = new();
    private readonly SourceLedger<CoapQuotaSource> _sources = new();
    private readonly Lock _gate = new();
    private readonly CoapEnvironment _environment;
    private readonly CoapExecution _options;
    private readonly UserCodeCost? _cost;

    // Those of the endpoint, from the first request.
    private HandlerThreadLimiter? _threads;
    private int _running;
    private bool _isAsking;

    /// <param name="environment">The environment, for the threads.</param>
    /// <param name="options">How many requests run and wait.</param>
    /// <param name="cost">Judges whether the handler must run on these threads; unused when the application chose them.</param>
    public HandlerWorkQueue(CoapEnvironment environment, CoapExecution options, UserCodeCost cost)
    {
        _environment = environment;
        _options = options;
        _cost = options.Kind == HandlerExecutionKind.Inline ? cost : null;
    }

    /// <summary>Runs a request now or later.</summary>
    /// <param name="call">The request.</param>
    /// <param name="cost">If not null and the request need not wait, it runs on this thread and its time is measured.</param>
    /// <returns>False if the request was refused.</returns>
    public bool TryRun(in PendingHandlerCall call, UserCodeCost? cost)
    {
        bool asks = false;
        lock (_gate)
        {
            _threads = call.Stage.Served.Threads;
            if (_running >= _options.Parallelism)
            {
                return TryWait(call, _options.Capacity);
            }

            if (_running == 0 || _threads is null or { HasCapacity: true })
            {
                _running++;
            }
            else if (!TryWait(call, (long)_options.Capacity + _options.Parallelism - _running))
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

        if (cost is not null)
        {
            if (call.Run.Execute(call, this, cost))
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
            return _running > 0 && TryWait(call, _options.Capacity);
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
            bool starts = _running < _options.Parallelism && TryDequeue(out call);
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

            queue._threads?.Release();
        }
    }

    // A thread that cannot be sampled counts as a computing one. It continues to serve, because no other thread would answer its request.
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
        if (_threads?.TryReserve() == false)
        {
            return false;
        }

        if (_environment.Scheduler.TryQueue(RunThread, (this, call), _environment.Counters, _environment.Logger))
        {
            return true;
        }

        _threads?.Release();
        return false;
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
        if (!_options.IsForThreads)
        {
            return call.Run.Execute(call, this, cost: null);
        }

        // The thread is free afterwards, whether or not the request has its answer.
        long started = _cost is null ? 0 : _environment.Now;
        call.Run.Execute(call, queue: null, cost: null);
        _cost?.ObserveAside(TimeSpan.FromTicks(_environment.Now - started));
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
        if (waiting >= capacity)
        {
            return false;
        }

        CoapQuotaSource? source = SourceOf(call);
        if (source is { } asking
            && (HasStopped() || !FairShare.HasRoom(_sources.AmountOf(asking) + 1, capacity - waiting, capacity)))
        {
            return false;
        }

        Enqueue(call, source);
        return true;
    }

    // No thread takes the first one: further ones need not wait to learn that.
    private bool HasStopped() =>
        _options.IsForThreads && _waiting.TryPeek(out (PendingHandlerCall Call, CoapQuotaSource? Source, long Since) first)
            && _environment.Now - first.Since > UserCodePolicy.LongestWait.Ticks;

    // A request that continues an operation has no source: refusing it would waste the earlier work.
    private CoapQuotaSource? SourceOf(in PendingHandlerCall call)
    {
        if (ResourceInboundBlock.Continues(call.Exchange))
        {
            return null;
        }

        CoapChannel channel = call.Exchange.Channel;
        return _environment.Sources.Of(channel.Remote, channel.PeerId);
    }

    private void Enqueue(in PendingHandlerCall call, CoapQuotaSource? source)
    {
        if (source is { } asking)
        {
            _sources.Take(asking);
        }

        _waiting.Enqueue((call, source, _environment.Now));
    }

    private bool TryDequeue(out PendingHandlerCall call)
    {
        bool isThere = _waiting.TryDequeue(out (PendingHandlerCall Call, CoapQuotaSource? Source, long Since) next);
        if (next.Source is { } source)
        {
            _sources.Return(source);
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
