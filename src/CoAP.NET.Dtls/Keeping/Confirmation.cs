namespace CoAP.NET.Dtls.Keeping;

/// <summary>Waits until a keeper has kept several changes. Thread-safe.</summary>
internal sealed class Confirmation
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // One more until it is known how many there are.
    private int _left = 1;

    /// <summary>There is one more change to wait for.</summary>
    public void Add() => Interlocked.Increment(ref _left);

    /// <summary>A change is kept, or another server has what it is about.</summary>
    public void End()
    {
        if (Interlocked.Decrement(ref _left) == 0)
        {
            _done.SetResult();
        }
    }

    /// <summary>There are no more changes to wait for. To be called once.</summary>
    /// <returns>A task that ends when all are kept.</returns>
    public Task WhenAllAsync()
    {
        End();
        return _done.Task;
    }
}
