namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>The threads of a node: what is queued runs when its clock goes on, one after the other.</summary>
internal sealed class NodeScheduler : CoapThreadScheduler
{
    private readonly Queue<(Action<object?> Work, object? State)> _waiting = new();
    private readonly ITimer _timer;

    /// <param name="time">The clock of the node.</param>
    public NodeScheduler(TimeProvider time) => _timer = time.CreateTimer(
        scheduler => ((NodeScheduler)scheduler!).Run(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);

    public override bool TakesContinuations => true;

    public override bool Queue(Action<object?> work, object? state)
    {
        ArgumentNullException.ThrowIfNull(work);
        lock (_waiting)
        {
            _waiting.Enqueue((work, state));
            if (_waiting.Count == 1)
            {
                _timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
            }
        }

        return true;
    }

    private void Run()
    {
        while (true)
        {
            (Action<object?> Work, object? State) item;
            lock (_waiting)
            {
                if (!_waiting.TryDequeue(out item))
                {
                    return;
                }

                if (_waiting.Count > 0)
                {
                    _timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
                }
            }

            item.Work(item.State);
        }
    }
}
