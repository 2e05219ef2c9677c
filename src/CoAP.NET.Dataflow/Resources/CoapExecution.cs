namespace CoAP.NET;

/// <summary>
/// Where the handlers of a route or group run, how many at a time, and how many requests may wait
/// (<see cref="CoapRouteConventions{TSelf}.WithExecution(CoapExecution)"/>).
/// </summary>
/// <remarks>
/// Beyond the capacity of a queue, and for a source (<see cref="CoapQuotaSource"/>) beyond its share of the free places, the response is
/// 5.03.
/// </remarks>
public sealed class CoapExecution
{
    private CoapExecution(HandlerExecutionKind kind, int parallelism = 1, int capacity = 0, TaskScheduler? scheduler = null)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(capacity);
        Kind = kind;
        Parallelism = parallelism;
        Capacity = capacity;
        Scheduler = scheduler;
    }

    /// <summary>On the thread that received the request; this is the default.</summary>
    /// <remarks>A handler that blocks it three times in a minute is offloaded for a minute (<see cref="Offloaded"/>).</remarks>
    public static CoapExecution Inline { get; } = new(HandlerExecutionKind.Inline, UserCodePolicy.RouteThreads, UserCodePolicy.MaxWaiting);

    internal HandlerExecutionKind Kind { get; }

    /// <summary>
    /// The maximum number at a time, until their responses; where <see cref="IsForThreads"/>, until the handlers return their tasks.
    /// </summary>
    internal int Parallelism { get; }

    /// <summary>The maximum number of waiting requests; further ones get 5.03.</summary>
    internal int Capacity { get; }

    /// <summary>Whether a request has its place only as long as its handler has a thread, and cannot wait for long.</summary>
    internal bool IsForThreads => Kind is HandlerExecutionKind.Inline or HandlerExecutionKind.Offloaded;

    /// <summary>The task scheduler, for <see cref="HandlerExecutionKind.Scheduler"/>.</summary>
    internal TaskScheduler? Scheduler { get; }

    /// <summary>On threads of the library, each request until its response exists, for handlers that block.</summary>
    /// <remarks>
    /// On a group, all its routes share one queue, including those of inner groups. An inner route or group with its own execution is not
    /// included, and has its own queue.
    /// </remarks>
    /// <param name="degreeOfParallelism">
    /// The number of requests of the route, or of all routes of the group together, that run at a time. 1 or more; default 1.
    /// </param>
    /// <param name="capacity">The number of further requests that may wait. 0 or more; default 1,000.</param>
    /// <returns>The execution.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A number is too small.</exception>
    public static CoapExecution Queued(int degreeOfParallelism = 1, int capacity = UserCodePolicy.MaxWaiting)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(degreeOfParallelism, 1);
        return new CoapExecution(HandlerExecutionKind.Queued, degreeOfParallelism, capacity);
    }

    /// <summary>One request at a time, until its response exists, so that a handler needs no lock.</summary>
    /// <remarks>
    /// It runs on the receiving thread if no other is running. On a group, it is one request at a time for all its routes, including those
    /// of inner groups. An inner route or group with its own execution is not included, and has its own queue. A handler must not wait for
    /// the response of another request to the same route or group: that request would wait for this one.
    /// </remarks>
    /// <param name="capacity">The number of requests that may wait. 0 or more; default 1,000.</param>
    /// <returns>The execution.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The number is negative.</exception>
    public static CoapExecution Serial(int capacity = UserCodePolicy.MaxWaiting) => new(HandlerExecutionKind.Serial, capacity: capacity);

    /// <summary>On threads of the library, each until the handler returns its task, for handlers that may block or compute.</summary>
    /// <remarks>
    /// A handler that awaits has no thread, so it does not keep other requests waiting. Handlers that compute get half of the processors.
    /// Each route has its own queue, even if the execution is that of a group (unlike <see cref="Queued"/>), so that a slow route does not
    /// delay the others. Once the first waiting request has waited for 2 s, further ones are answered 5.03.
    /// </remarks>
    /// <param name="degreeOfParallelism">
    /// The number of requests of a route that have a thread at a time. 1 or more; default 256.
    /// </param>
    /// <param name="capacity">The number of further requests that may wait. 0 or more; default 1,000.</param>
    /// <returns>The execution.</returns>
    /// <exception cref="ArgumentOutOfRangeException">A number is too small.</exception>
    public static CoapExecution Offloaded(int degreeOfParallelism = UserCodePolicy.RouteThreads, int capacity = UserCodePolicy.MaxWaiting)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(degreeOfParallelism, 1);
        return new CoapExecution(HandlerExecutionKind.Offloaded, degreeOfParallelism, capacity);
    }

    /// <summary>On a task scheduler of the application.</summary>
    /// <remarks>
    /// Each request is one task; <c>await</c> in a handler returns to the scheduler. While a handler awaits, the scheduler runs other
    /// requests, even one with a single task at a time, such as <c>ConcurrentExclusiveSchedulerPair.ExclusiveScheduler</c>. To run one
    /// request at a time until its response exists, use <see cref="Serial"/>. The scheduler gets all requests at once. On the thread pool,
    /// they wait before all other work of the process; see <see cref="Offloaded"/>.
    /// </remarks>
    /// <param name="scheduler">The task scheduler.</param>
    /// <returns>The execution.</returns>
    public static CoapExecution On(TaskScheduler scheduler)
    {
        ArgumentNullException.ThrowIfNull(scheduler);
        return new CoapExecution(HandlerExecutionKind.Scheduler, scheduler: scheduler);
    }

    /// <summary>Returns the kind and the numbers, for logs.</summary>
    /// <returns>A text, such as <c>Queued(2, 1000)</c>.</returns>
    public override string ToString() => Kind switch
    {
        HandlerExecutionKind.Inline => nameof(Inline),
        HandlerExecutionKind.Serial => $"{nameof(Serial)}({Capacity})",
        HandlerExecutionKind.Scheduler => $"{nameof(On)}({Scheduler})",
        _ => $"{Kind}({Parallelism}, {Capacity})",
    };
}
