namespace CoAP.NET;

/// <summary>Where the handlers of a route run, and how many requests may wait.</summary>
/// <param name="Kind">The kind of execution.</param>
/// <param name="Parallelism">
/// The maximum number at a time, until their answers; for <see cref="ExecutionKind.Aside"/> until the handlers return their tasks.
/// </param>
/// <param name="Capacity">The maximum number of waiting requests; further ones get 5.03.</param>
/// <param name="Scheduler">The task scheduler, for <see cref="ExecutionKind.Scheduler"/>.</param>
internal sealed record ExecutionOptions(ExecutionKind Kind, int Parallelism = 1, int Capacity = 0, TaskScheduler? Scheduler = null)
{
    public static ExecutionOptions Inline { get; } = new(ExecutionKind.Inline);
}
