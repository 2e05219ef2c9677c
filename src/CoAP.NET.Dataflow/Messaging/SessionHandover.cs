namespace CoAP.NET.Messaging;

/// <summary>
/// The state of a session that continues elsewhere: its peer begins no more requests here, and a caller waits for the end of the pending
/// ones. Thread-safe.
/// </summary>
internal sealed class SessionHandover : IDeferredWork
{
    private TaskCompletionSource _changed = New();

    /// <summary>Returns a task that completes with the next ended exchange. Under the lock of the shard.</summary>
    public Task NextChange()
    {
        if (_changed.Task.IsCompleted)
        {
            Volatile.Write(ref _changed, New());
        }

        return _changed.Task;
    }

    public void OnReleased(CoapShard shard) => Volatile.Read(ref _changed).TrySetResult();

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
