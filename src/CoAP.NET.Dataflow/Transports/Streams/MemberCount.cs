namespace CoAP.NET.Transports;

/// <summary>
/// Counts what must be gone before a transport is closed: its connections and attempts, and the transport itself. Thread-safe.
/// </summary>
internal sealed class MemberCount
{
    private readonly TaskCompletionSource _gone = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _members = 1;

    /// <summary>Ends when the last one has left.</summary>
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
