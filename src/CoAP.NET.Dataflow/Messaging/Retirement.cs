namespace CoAP.NET.Messaging;

/// <summary>
/// A session is about to go on elsewhere: its peer begins no request here any more, and somebody waits for the end of those under way.
/// Thread-safe.
/// </summary>
internal sealed class Retirement : IAfterRelease
{
    private TaskCompletionSource _changed = New();

    /// <summary>A task that ends when something came to its end after this was called. Under the lock of the shard.</summary>
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
