namespace CoAP.NET.Dtls.Tests.Transport;

public sealed class HandshakeWorkTests
{
    private static readonly TimeSpan s_patience = FromMilliseconds(50);

    private readonly VirtualClock _clock = new();
    private readonly Queue<(Action<object?> Work, object? State)> _started = new();
    private readonly List<int> _done = [];
    private readonly HandshakeWork _work;

    public HandshakeWorkTests() => _work = new HandshakeWork(Start, _clock, s_patience);

    [Fact]
    public void Much_work_is_done_by_few_threads_in_its_order()
    {
        Give(1_000);

        Assert.Equal((_work.UsualThreads, _work.UsualThreads), (_started.Count, _work.Threads));
        RunAll();
        Assert.Equal(Enumerable.Range(0, 1_000), _done);
        Assert.Equal(0, _work.Threads);
    }

    [Fact]
    public void Work_that_waits_for_long_gets_a_thread_more_at_each_look()
    {
        Give(100);
        int usual = _started.Count;
        _work.Look();
        Assert.Equal(usual, _started.Count);

        _clock.Advance(s_patience);
        _work.Look();
        _work.Look();
        Assert.Equal(usual + 2, _started.Count);

        Give(1);
        Assert.Equal(usual + 3, _started.Count);

        RunAll();
        _clock.Advance(s_patience);
        _work.Look();
        Assert.Empty(_started);
        Assert.Equal((101, 0), (_done.Count, _work.Threads));
    }

    [Fact]
    public void Work_that_throws_takes_no_thread_away()
    {
        _work.Run(() => throw new InvalidOperationException("a mistake"));
        _work.Run(() => _done.Add(7));
        (Action<object?> work, object? state) = _started.Dequeue();
        Assert.Throws<InvalidOperationException>(() => work(state));

        RunAll();

        Assert.Equal([7], _done);
        Assert.Equal(0, _work.Threads);
    }

    [Fact]
    public async Task Work_is_done_where_the_scheduler_has_no_thread()
    {
        TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        HandshakeWork refused = new((_, _) => false, _clock, s_patience);

        refused.Run(done.SetResult);

        await done.Task.WaitAsync(FromMinutes(2));
    }

    private bool Start(Action<object?> work, object? state)
    {
        _started.Enqueue((work, state));
        return true;
    }

    private void Give(int count)
    {
        for (int i = 0; i < count; i++)
        {
            int number = i;
            _work.Run(() => _done.Add(number));
        }
    }

    private void RunAll()
    {
        while (_started.TryDequeue(out (Action<object?> Work, object? State) thread))
        {
            thread.Work(thread.State);
        }
    }
}
