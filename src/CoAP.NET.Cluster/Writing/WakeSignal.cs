namespace CoAP.NET.Cluster;

/// <summary>
/// Wakes whoever waits for the next change. Who takes <see cref="Next"/> before it looks at the state misses no change that is made before
/// <see cref="Wake"/>. Thread-safe.
/// </summary>
internal sealed class WakeSignal
{
    private TaskCompletionSource _next = NewSource();

    /// <summary>A task that ends with the next <see cref="Wake"/>.</summary>
    public Task Next => Volatile.Read(ref _next).Task;

    /// <summary>Something has changed.</summary>
    public void Wake() => Interlocked.Exchange(ref _next, NewSource()).TrySetResult();

    private static TaskCompletionSource NewSource() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
