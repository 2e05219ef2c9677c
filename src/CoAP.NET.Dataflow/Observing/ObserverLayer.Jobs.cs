using CoAP.NET.Exchanges;
using CoAP.NET.Execution;

namespace CoAP.NET.Observing;

// The list of jobs: handlers to run and peers to look after, a batch at each tick, so that requests come in between.
internal sealed partial class ObserverLayer
{
    private const int BatchSize = 64;

    // When a handler holds up the thread that does the jobs, the next tick goes on with the rest.
    private static readonly long s_jobPatience = TimeSpan.FromMilliseconds(10).Ticks;

    private readonly Queue<object> _jobs = new();
    private readonly JobTimer _jobTimer;
    private readonly Action<object?> _doJobs;

    private void QueueJob(object job, long now)
    {
        _jobs.Enqueue(job);
        ScheduleJobs(now);
    }

    // A slot in the past, so that the very next tick fires it.
    private void ScheduleJobs(long now)
    {
        if (!_jobTimer.IsScheduled || _jobTimer.Due > now)
        {
            _shard.Wheel.Schedule(_jobTimer, now - (1L << TimerWheel.SlotBits));
        }
    }

    private void DoJobs(object? state)
    {
        // Where a timer drives the clock it is set anew only after this tick, and a handler may take its time.
        _shard.Clock?.Wake();
        for (int i = 0; i < BatchSize; i++)
        {
            _shard.Enter();
            try
            {
                if (!_jobs.TryDequeue(out object? job))
                {
                    _shard.Wheel.Cancel(_jobTimer);
                    return;
                }

                long now = _shard.Environment.Now;
                if (job is PeerObservers peer)
                {
                    Pump(peer, now);
                }
                else if (BeginRun((Subject)job, now) is { } exchange)
                {
                    _shard.Wheel.Schedule(_jobTimer, now + s_jobPatience);
                    _shard.Serve(exchange);
                }
            }
            finally
            {
                _shard.Exit();
            }
        }

        _shard.Enter();
        if (_jobs.Count > 0)
        {
            ScheduleJobs(_shard.Environment.Now);
        }

        _shard.Exit();
    }

    private sealed class JobTimer(ObserverLayer layer) : WheelTimer
    {
        // What the jobs lead to must not run under the lock.
        internal override void Fire(long now) => layer._shard.AfterRelease(layer._doJobs, null);
    }
}
