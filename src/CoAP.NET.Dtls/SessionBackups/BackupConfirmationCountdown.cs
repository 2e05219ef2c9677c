namespace CoAP.NET.Dtls.SessionBackups;

/// <summary>Waits until a backup has kept several changes. Thread-safe.</summary>
internal sealed class BackupConfirmationCountdown
{
    private readonly TaskCompletionSource _done = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // One extra until the number of changes is final.
    private int _left = 1;

    /// <summary>Adds a change to wait for.</summary>
    public void Add() => Interlocked.Increment(ref _left);

    /// <summary>Completes a change: the backup has kept it, or another server owns its session.</summary>
    public void End()
    {
        if (Interlocked.Decrement(ref _left) == 0)
        {
            _done.SetResult();
        }
    }

    /// <summary>Waits for all changes. Call it once, after the last <see cref="Add"/>.</summary>
    /// <returns>A task that ends when the backup has kept all of them.</returns>
    public Task WhenAllAsync()
    {
        End();
        return _done.Task;
    }
}
