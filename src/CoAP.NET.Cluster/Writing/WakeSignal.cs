namespace CoAP.NET.Cluster.Writing;

/// <summary>
/// Wakes callers that wait for the next change. A caller that takes <see cref="Next"/> before it reads the state misses no change made
/// before <see cref="Wake"/>. Thread-safe.
/// </summary>
internal sealed class WakeSignal
{
    private TaskCompletionSource _next = NewSource();

    /// <summary>A task that completes with the next <see cref="Wake"/>.</summary>
    public Task Next => Volatile.Read(ref _next).Task;

    public void Wake() => Interlocked.Exchange(ref _next, NewSource()).TrySetResult();

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
