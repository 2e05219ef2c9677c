namespace CoAP.NET.Tests.Resources;

/// <summary>Threads that are none: work waits until the test runs it.</summary>
internal sealed class ManualScheduler : CoapThreadScheduler
{
    private readonly Lock _gate = new();
    private readonly Queue<(Action<object?> Work, object? State)> _queue = new();
    private TaskCompletionSource _changed = new(RunContinuationsAsynchronously);

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _queue.Count;
            }
        }
    }

    public bool Refuses { get; set; }

    public override bool Queue(Action<object?> work, object? state)
    {
        if (Refuses)
        {
            return false;
        }

        lock (_gate)
        {
            _queue.Enqueue((work, state));
            _changed.TrySetResult();
        }

        return true;
    }

    /// <summary>Ends when something waits to be run.</summary>
    public Task WhenQueuedAsync()
    {
        lock (_gate)
        {
            if (_queue.Count != 0)
            {
                return Task.CompletedTask;
            }

            _changed = new TaskCompletionSource(RunContinuationsAsynchronously);
            return _changed.Task;
        }
    }

    public void RunOne()
    {
        (Action<object?> Work, object? State) item;
        lock (_gate)
        {
            item = _queue.Dequeue();
        }

        item.Work(item.State);
    }

    public void RunAll()
    {
        while (Count != 0)
        {
            RunOne();
        }
    }
}
