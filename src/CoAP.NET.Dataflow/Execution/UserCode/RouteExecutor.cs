using CoAP.NET.Resources;

namespace CoAP.NET;

/// <summary>Runs the handlers of one route, or of all routes of a group that is serial, where their execution options say.</summary>
internal sealed class RouteExecutor
{
    // How many requests of one route that proved slow run at a time. As many may wait, a run's time at most; more only if they do not wait for long: a handler
    // that computes is taken for one that blocks when the system takes the processor from it, and what it cannot do must be refused all the same.
    private const int SlowParallelism = 256;

    private readonly CoapEnvironment _environment;
    private readonly SlowWatch _watch;
    private readonly WorkQueue? _queue;
    private WorkQueue? _slowQueue;
    private WorkQueue? _costlyQueue;

    public RouteExecutor(ExecutionOptions options, CoapEnvironment environment)
    {
        Options = options;
        _environment = environment;
        _watch = new SlowWatch(environment.TimeProvider);
        if (options.Kind is ExecutionKind.Queued or ExecutionKind.Serial)
        {
            _queue = new WorkQueue(environment, options.Parallelism, options.Capacity);
        }
    }

    /// <summary>Where and how they run.</summary>
    public ExecutionOptions Options { get; }

    /// <summary>Runs the handler now or later; its answer goes out by itself.</summary>
    /// <returns>Whether it was taken; if not, nothing will run and the caller answers 5.03.</returns>
    public bool TryRun(in RouteCall call)
    {
        switch (Options.Kind)
        {
            case ExecutionKind.Queued:
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

    private static bool TryRunOn(TaskScheduler scheduler, in RouteCall call)
    {
        // The task itself never fails: Execute answers whatever happens. A scheduler that refuses throws here.
        _ = Task.Factory.StartNew(
            static state =>
            {
                RouteCall call = (RouteCall)state!;
                call.Run.Execute(call, queue: null, watch: null);
            },
            call,
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach,
            scheduler);
        return true;
    }

    private WorkQueue? QueueAside() => _watch.IsSlow ? SlowQueue() : _watch.IsCostly(Volatile.Read(ref _costlyQueue) is { HasWaiting: true }) ? CostlyQueue() : null;

    // As many at a time as there are processors: they block none, and more would only take time from the threads that receive.
    private WorkQueue CostlyQueue() =>
        Volatile.Read(ref _costlyQueue)
        ?? Interlocked.CompareExchange(ref _costlyQueue, new WorkQueue(_environment, Environment.ProcessorCount, int.MaxValue, countsAsSlow: true, new WaitBound(_environment)), null)
        ?? _costlyQueue!;

    private WorkQueue SlowQueue() =>
        Volatile.Read(ref _slowQueue)
        ?? Interlocked.CompareExchange(ref _slowQueue, new WorkQueue(_environment, SlowParallelism, int.MaxValue, countsAsSlow: true, new WaitBound(_environment)), null)
        ?? _slowQueue!;
}
