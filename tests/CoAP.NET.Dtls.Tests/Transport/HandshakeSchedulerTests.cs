namespace CoAP.NET.Dtls.Tests.Transport;

public sealed class HandshakeSchedulerTests
{
    private static readonly TimeSpan s_patience = FromMilliseconds(50);

    private readonly VirtualClock _clock = new();
    private readonly Queue<(Action<object?> Work, object? State)> _started = new();
    private readonly List<int> _done = [];
    private readonly HandshakeScheduler _work;

    public HandshakeSchedulerTests() => _work = new HandshakeScheduler(Start, _clock, s_patience);

    [Fact]
    public void Work_is_done_in_order_by_few_threads()
    {
        Give(1_000);

        Assert.Equal((_work.UsualThreads, _work.UsualThreads), (_started.Count, _work.Threads));
        RunAll();
        Assert.Equal(Enumerable.Range(0, 1_000), _done);
        Assert.Equal(0, _work.Threads);
    }

    [Fact]
    public void A_thread_is_added_at_each_check_while_work_waits_for_long()
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
    public void Sources_take_turns_and_keep_their_own_order()
    {
        for (int i = 0; i < 50; i++)
        {
            int number = i;
            _work.Run(7, () => _done.Add(number));
        }

        _work.Run(8, () => _done.Add(1_000));
        _work.Run(9, () => _done.Add(2_000));
        _work.Run(8, () => _done.Add(1_001));

        RunAll();

        Assert.Equal([0, 1_000, 2_000, 1, 1_001, 2], _done[..6]);
        Assert.Equal(Enumerable.Range(0, 50), _done.Where(static number => number < 1_000));
        Assert.Equal(53, _done.Count);
    }

    [Fact]
    public void The_oldest_work_of_any_source_decides_whether_a_thread_is_added()
    {
        Give(100);
        _clock.Advance(s_patience);
        _work.Run(8, () => _done.Add(1_000));
        int started = _started.Count;
        Assert.Equal(_work.UsualThreads + 1, started);

        // One thread does all; nothing is late any more.
        (Action<object?> work, object? state) = _started.Dequeue();
        work(state);
        _work.Look();
        Assert.Equal((started - 1, 101), (_started.Count, _done.Count));
    }

    [Fact]
    public void Work_that_throws_does_not_reduce_the_number_of_threads()
    {
        _work.Run(1, () => throw new InvalidOperationException("a mistake"));
        _work.Run(1, () => _done.Add(7));
        (Action<object?> work, object? state) = _started.Dequeue();
        Assert.Throws<InvalidOperationException>(() => work(state));

        RunAll();

        Assert.Equal([7], _done);
        Assert.Equal(0, _work.Threads);
    }

    [Fact]
    public async Task Work_runs_on_the_calling_thread_when_the_scheduler_has_no_thread()
    {
        TaskCompletionSource done = new(RunContinuationsAsynchronously);
        HandshakeScheduler refused = new((_, _) => false, _clock, s_patience);

        refused.Run(1, done.SetResult);

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
            _work.Run(1, () => _done.Add(number));
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
