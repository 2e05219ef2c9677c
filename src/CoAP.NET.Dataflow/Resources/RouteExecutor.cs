namespace CoAP.NET.Resources;

/// <summary>Runs the handlers of one route, or of all routes of a group with one queue, as their execution options require.</summary>
internal sealed class RouteExecutor
{
    private readonly CoapEnvironment _environment;
    private readonly HandlerCostEstimator _watch;
    private readonly HandlerWorkQueue? _queue;
    private HandlerWorkQueue? _slowQueue;
    private HandlerWorkQueue? _costlyQueue;

    public RouteExecutor(CoapExecution options, CoapEnvironment environment)
    {
        Options = options;
        _environment = environment;
        _watch = new HandlerCostEstimator(environment.TimeProvider);
        if (options.Kind is ExecutionKind.Queued or ExecutionKind.Serial)
        {
            _queue = new HandlerWorkQueue(environment, options.Parallelism, options.Capacity);
        }
        else if (options.Kind == ExecutionKind.Offloaded)
        {
            _queue = new HandlerWorkQueue(environment, options.Parallelism, options.Capacity, isForThreads: true, limitsWait: true);
        }
    }

    public CoapExecution Options { get; }

    /// <summary>Runs the handler now or later; the run sends the answer.</summary>
    /// <returns>False if the request was refused: the caller answers 5.03.</returns>
    public bool TryRun(in PendingHandlerCall call)
    {
        switch (Options.Kind)
        {
            case ExecutionKind.Queued or ExecutionKind.Offloaded:
                return _queue!.TryRun(call);
            case ExecutionKind.Serial:
                return _queue!.TryRun(call, _watch.IsInline || !(_watch.IsSlow || _watch.IsCostly(_queue.HasWaiting)) ? _watch : null);
            case ExecutionKind.Scheduler:
                return TryRunOn(Options.Scheduler!, call);
            default:
                if (!_watch.IsInline && QueueAside() is { } queue)
                {
                    return queue.TryRun(call);
                }

                call.Run.Execute(call, queue: null, _watch);
                return true;
        }
    }

    private static bool TryRunOn(TaskScheduler scheduler, in PendingHandlerCall call)
    {
        // The task never fails, because Execute always answers. A scheduler that refuses throws here.
        _ = Task.Factory.StartNew(
            static state =>
            {
                PendingHandlerCall call = (PendingHandlerCall)state!;
                call.Run.Execute(call, queue: null, watch: null);
            },
            call,
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach,
            scheduler);
        return true;
    }

    private HandlerWorkQueue? QueueAside() =>
        _watch.IsSlow ? MadeOnce(ref _slowQueue, UserCodePolicy.SlowParallelism)
        : IsCostly() ? MadeOnce(ref _costlyQueue, UserCodePolicy.CostlyParallelism)
        : null;

    private bool IsCostly() => _watch.IsCostly(isWaitedFor: Volatile.Read(ref _costlyQueue) is { HasWaiting: true });

    // Limited by time and not by number. The system may have kept a handler off its processor, so a handler that counts as slow may be
    // CPU-bound, and its excess work must be refused.
    private HandlerWorkQueue MadeOnce(ref HandlerWorkQueue? queue, int parallelism)
    {
        if (Volatile.Read(ref queue) is { } made)
        {
            return made;
        }

        HandlerWorkQueue mine = new(_environment, parallelism, int.MaxValue, isForThreads: true, limitsWait: true, _watch);
        return Interlocked.CompareExchange(ref queue, mine, null) ?? mine;
    }
}
