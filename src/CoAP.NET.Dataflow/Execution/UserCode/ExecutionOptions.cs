namespace CoAP.NET;

/// <summary>Where the handlers of a route run and how many may wait.</summary>
/// <param name="Kind">Where.</param>
/// <param name="Parallelism">How many at a time, until their answers are there.</param>
/// <param name="Capacity">How many may wait; one more is answered 5.03.</param>
/// <param name="Scheduler">The task scheduler, of <see cref="ExecutionKind.Scheduler"/>.</param>
internal sealed record ExecutionOptions(ExecutionKind Kind, int Parallelism = 1, int Capacity = 0, TaskScheduler? Scheduler = null)
{
    public static ExecutionOptions Inline { get; } = new(ExecutionKind.Inline);
}
