namespace CoAP.NET.Cluster.Tests.Sqlite;

/// <summary>Threads that run when the test says so, or none at all.</summary>
internal sealed class QueueOnly : CoapThreadScheduler
{
    private readonly Queue<(Action<object?> Work, object? State)> _queue = [];

    public bool HasThreads { get; set; } = true;

    public override bool Queue(Action<object?> work, object? state)
    {
        if (HasThreads)
        {
            _queue.Enqueue((work, state));
        }

        return HasThreads;
    }

    public void RunAll()
    {
        while (_queue.TryDequeue(out (Action<object?> Work, object? State) next))
        {
            next.Work(next.State);
        }
    }
}
