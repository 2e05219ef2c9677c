namespace CoAP.NET.Resources;

/// <summary>Runs the handlers of one route, or of all routes of a group with one queue, as their execution options require.</summary>
internal sealed class RouteExecutor(CoapExecution options, CoapEnvironment environment)
{
    private readonly UserCodeCost _cost = new(environment.TimeProvider);

    // Made when it is needed: most routes run on the calling thread.
    private HandlerWorkQueue? _queue;

    public CoapExecution Options => options;

    private HandlerWorkQueue Queue => Volatile.Read(ref _queue)
        ?? Interlocked.CompareExchange(ref _queue, new HandlerWorkQueue(environment, options, _cost), null) ?? _queue;

    /// <summary>Runs the handler now or later; the run sends the answer.</summary>
    /// <returns>False if the request was refused: the caller answers 5.03.</returns>
    public bool TryRun(in PendingHandlerCall call)
    {
        if (options.Scheduler is { } scheduler)
        {
            RunOn(scheduler, call);
            return true;
        }

        bool mayRunHere = options.Kind is HandlerExecutionKind.Inline or HandlerExecutionKind.Serial && !_cost.IsAside;
        if (!mayRunHere || options.Kind == HandlerExecutionKind.Serial)
        {
            return Queue.TryRun(call, mayRunHere ? _cost : null);
        }

        call.Run.Execute(call, queue: null, _cost);
        return true;
    }

    private static void RunOn(TaskScheduler scheduler, in PendingHandlerCall call)
    {
        // The task never fails, because Execute always answers. A scheduler that refuses throws here.
        _ = Task.Factory.StartNew(
            static state =>
            {
                PendingHandlerCall call = (PendingHandlerCall)state!;
                call.Run.Execute(call, queue: null, cost: null);
            },
            call,
            CancellationToken.None,
            TaskCreationOptions.DenyChildAttach,
            scheduler);
    }
}
