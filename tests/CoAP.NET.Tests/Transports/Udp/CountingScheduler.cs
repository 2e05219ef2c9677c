using CoAP.NET.Execution;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>The library's threads, and how many of them are busy.</summary>
internal sealed class CountingScheduler : CoapThreadScheduler
{
    // Each test has its own. Idle threads that stay for a minute would be hundreds in the process, and who waits in virtual time looks at
    // all of them before each step.
    private readonly CoapThreadPool _threads = new(idleTime: FromMilliseconds(100));
    private readonly Lock _gate = new();
    private TaskCompletionSource _changed = new(RunContinuationsAsynchronously);
    private int _running;

    public int Running => Volatile.Read(ref _running);

    public override bool Queue(Action<object?> work, object? state)
    {
        Change(1);
        bool queued = _threads.Queue(
            _ =>
            {
                work(state);
                Change(-1);
            },
            null);
        if (!queued)
        {
            Change(-1);
        }

        return queued;
    }

    /// <summary>Runs something on a thread of its own.</summary>
    public Task RunAsync(Action action)
    {
        TaskCompletionSource done = new(RunContinuationsAsynchronously);
        Assert.True(Queue(
            _ =>
            {
                try
                {
                    action();
                    done.SetResult();
                }
                catch (Exception exception)
                {
                    done.SetException(exception);
                }
            },
            null));
        return done.Task;
    }

    /// <summary>Waits until no more than so many are busy.</summary>
    public async Task WhenAtMostAsync(int count)
    {
        while (true)
        {
            Task changed;
            lock (_gate)
            {
                if (_running <= count)
                {
                    return;
                }

                changed = _changed.Task;
            }

            await changed.WaitAsync(FromMinutes(2));
        }
    }

    private void Change(int by)
    {
        lock (_gate)
        {
            _running += by;
            _changed.SetResult();
            _changed = new TaskCompletionSource(RunContinuationsAsynchronously);
        }
    }
}
