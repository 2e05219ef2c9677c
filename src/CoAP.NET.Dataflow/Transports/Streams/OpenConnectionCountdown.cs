namespace CoAP.NET.Transports.Streams;

/// <summary>
/// Counts the connections and attempts that must end before a transport is closed, and the transport itself. Thread-safe.
/// </summary>
internal sealed class OpenConnectionCountdown
{
    private readonly TaskCompletionSource _gone = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _members = 1;

    /// <summary>Completes when the last one has left.</summary>
    public Task Gone => _gone.Task;

    public void Enter() => Interlocked.Increment(ref _members);

    public void Leave()
    {
        if (Interlocked.Decrement(ref _members) == 0)
        {
            _gone.TrySetResult();
        }
    }
}
