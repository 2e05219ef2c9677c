namespace CoAP.NET.Tests.Resources;

/// <summary>Threads that are none: work waits until the test runs it.</summary>
internal sealed class ManualScheduler : CoapScheduler
{
    private readonly Queue<(Action<object?> Work, object? State)> _queue = new();

    public int Count => _queue.Count;

    public bool Refuses { get; set; }

    public override bool Queue(Action<object?> work, object? state)
    {
        if (Refuses)
        {
            return false;
        }

        _queue.Enqueue((work, state));
        return true;
    }

    public void RunOne()
    {
        (Action<object?> work, object? state) = _queue.Dequeue();
        work(state);
    }

    public void RunAll()
    {
        while (_queue.Count != 0)
        {
            RunOne();
        }
    }
}
