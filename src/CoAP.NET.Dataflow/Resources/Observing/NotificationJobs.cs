using CoAP.NET.Exchanges;

namespace CoAP.NET.Observing;

/// <summary>
/// The jobs for observers: handlers to run and clients to process, a batch at each tick of the shard's clock, so that requests are
/// processed in between. Handlers run without the lock, on the thread of the tick, which belongs to the library or to the driver of the
/// clock.
/// </summary>
internal sealed class NotificationJobs : WheelTimer, IAfterRelease
{
    private readonly ObserverLayer _layer;
    private readonly CoapShard _shard;

    // Guarded by the shard's lock.
    private readonly Queue<Subject> _runs = new();
    private readonly Queue<PeerObservers> _peers = new();
    private bool _isHeld;

    public NotificationJobs(ObserverLayer layer)
    {
        _layer = layer;
        _shard = layer.Shard;
    }

    private bool IsEmpty => _runs.Count == 0 && _peers.Count == 0;

    /// <summary>Schedules a run of the handler of a subject.</summary>
    public void Add(Subject subject, long now)
    {
        _runs.Enqueue(subject);
        Schedule(now);
    }

    /// <summary>Schedules the processing of a client.</summary>
    public void Add(PeerObservers peer, long now)
    {
        _peers.Enqueue(peer);
        Schedule(now);
    }

    /// <summary>Suppresses the wake-up of the clock for new jobs until <see cref="LookAfterPeers"/>.</summary>
    public void Hold() => _isHeld = true;

    /// <summary>
    /// Processes some of the waiting clients at once, usually those whose handler has just run, and leaves the others to the clock.
    /// </summary>
    public void LookAfterPeers(long now)
    {
        LookAfterSome(now);
        _isHeld = false;
        if (!IsEmpty)
        {
            Schedule(now);
        }
    }

    public void Clear()
    {
        _runs.Clear();
        _peers.Clear();
        _shard.Wheel.Cancel(this);
    }

    internal override void Fire(long now)
    {
        DoSome(now);
        if (!IsEmpty)
        {
            _shard.AfterRelease(this);
        }
    }

    void IAfterRelease.OnReleased(CoapShard shard) => GoOn();

    // A slot in the past, so that it fires at the next tick.
    private void Schedule(long now)
    {
        if (!_isHeld && (!IsScheduled || Due > now))
        {
            _shard.Wheel.Schedule(this, now - (1L << TimerWheel.SlotBits));
        }
    }

    private int LookAfterSome(long now)
    {
        int done = 0;
        while (done < UserCodePolicy.NotifiedUnderLock && _peers.TryDequeue(out PeerObservers? peer))
        {
            _layer.Sender.Pump(peer, now);
            done++;
        }

        return done;
    }

    // A handler runs after the lock was released, before any work that the shard queues later.
    private int DoSome(long now)
    {
        int done = LookAfterSome(now);
        if (_runs.TryDequeue(out Subject? subject))
        {
            done++;
            if (_layer.Runs.Begin(subject, now) is { } exchange)
            {
                _shard.AfterRelease(exchange);
            }
        }

        if (IsEmpty)
        {
            _shard.Wheel.Cancel(this);
        }
        else
        {
            _shard.Wheel.Schedule(this, now + UserCodePolicy.NotificationPatience.Ticks);
        }

        return done;
    }

    // The rest of the batch. Called without the lock, after the previous handler.
    private void GoOn()
    {
        for (int done = 1; ;)
        {
            _shard.Enter();
            try
            {
                if (IsEmpty)
                {
                    return;
                }

                long now = _shard.Environment.Now;
                if (done >= UserCodePolicy.NotificationsAtOnce)
                {
                    Schedule(now);
                    return;
                }

                done += DoSome(now);
            }
            finally
            {
                _shard.Exit();
            }
        }
    }
}
