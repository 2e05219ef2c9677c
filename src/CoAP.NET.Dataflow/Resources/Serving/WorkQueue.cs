namespace CoAP.NET.Resources;

/// <summary>
/// Requests that wait for a handler: at most a number of them run at a time, each until its answer is there, on threads of the library;
/// a bounded number waits. A thread serves one after another and leaves when none waits.
/// </summary>
internal sealed class WorkQueue
{
    private readonly Queue<RouteCall> _waiting = new();
    private readonly Lock _gate = new();
    private readonly CoapScheduler _scheduler;
    private readonly int _parallelism;
    private readonly int _capacity;
    private readonly bool _countsAsSlow;
    private int _running;

    /// <param name="scheduler">The threads.</param>
    /// <param name="parallelism">How many requests run at a time.</param>
    /// <param name="capacity">How many wait.</param>
    /// <param name="countsAsSlow">Whether its threads come out of <see cref="ServedRequests.MaxSlowThreads"/>.</param>
    public WorkQueue(CoapScheduler scheduler, int parallelism, int capacity, bool countsAsSlow = false)
    {
        _scheduler = scheduler;
        _parallelism = parallelism;
        _capacity = capacity;
        _countsAsSlow = countsAsSlow;
    }

    /// <summary>Runs a request now or later.</summary>
    /// <param name="call">The request.</param>
    /// <param name="watch">When not null and the request's turn is now, it runs on this thread, under this watch.</param>
    /// <returns>Whether it was taken; if not, nothing will run.</returns>
    public bool TryRun(in RouteCall call, SlowWatch? watch = null)
    {
        lock (_gate)
        {
            if (_running >= _parallelism)
            {
                return TryWait(call);
            }

            _running++;
        }

        if (watch is not null)
        {
            if (call.Stage.Execute(call, this, watch))
            {
                OnDone();
            }

            return true;
        }

        if (TryStartThread(call))
        {
            return true;
        }

        lock (_gate)
        {
            // Somebody who runs will look into the queue when done; without anybody it must be refused.
            _running--;
            return _running > 0 && TryWait(call);
        }
    }

    /// <summary>A request that ran has its answer. The next one gets a thread of its own: the caller may be a thread that receives, or one of a user.</summary>
    public void OnDone()
    {
        if (TryNext(out RouteCall next) && !TryStartThread(next))
        {
            Serve(next);
        }
    }

    private static void RunThread(object? state)
    {
        (WorkQueue queue, RouteCall call) = ((WorkQueue, RouteCall))state!;
        try
        {
            queue.Serve(call);
        }
        finally
        {
            if (queue._countsAsSlow)
            {
                call.Stage.Served.GiveSlowThreadBack();
            }
        }
    }

    private bool TryStartThread(in RouteCall call)
    {
        if (_countsAsSlow && !call.Stage.Served.TryTakeSlowThread())
        {
            return false;
        }

        if (_scheduler.TryQueue(RunThread, (this, call), call.Stage.Environment.Counters, call.Stage.Environment.Logger))
        {
            return true;
        }

        if (_countsAsSlow)
        {
            call.Stage.Served.GiveSlowThreadBack();
        }

        return false;
    }

    private void Serve(RouteCall call)
    {
        while (call.Stage.Execute(call, this, watch: null))
        {
            if (!TryNext(out call))
            {
                return;
            }
        }
    }

    private bool TryWait(in RouteCall call)
    {
        if (_waiting.Count >= _capacity)
        {
            return false;
        }

        _waiting.Enqueue(call);
        return true;
    }

    private bool TryNext(out RouteCall call)
    {
        lock (_gate)
        {
            if (_waiting.TryDequeue(out call))
            {
                return true;
            }

            _running--;
            return false;
        }
    }
}
