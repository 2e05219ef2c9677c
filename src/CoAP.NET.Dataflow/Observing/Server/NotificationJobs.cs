using CoAP.NET.Exchanges;
using CoAP.NET.Execution;

namespace CoAP.NET.Observing;

/// <summary>
/// What is to be done for observers: handlers to run and clients to look after, a batch at each tick of the shard's clock, so that requests
/// come in between. Handlers run without the lock, on the thread
/// that received last where a receive loop drives the clock. Where a timer of the system does, its thread belongs to the shared pool; there
/// they run on a thread of the library.
/// </summary>
internal sealed class NotificationJobs : WheelTimer, IAfterRelease
{
    // For each tick, and for each time that the lock is held.
    private const int MaxJobs = 64;
    private const int MaxPeersAtOnce = 16;

    // When a handler holds up the thread that does the jobs, the next tick goes on with the rest.
    private static readonly long s_patience = TimeSpan.FromMilliseconds(10).Ticks;

    private static readonly Action<object?> s_goOn = static jobs => ((NotificationJobs)jobs!).GoOn();

    private readonly ObserverLayer _layer;
    private readonly CoapShard _shard;
    private readonly bool _isOnPoolThreads;

    // Guarded by the shard's lock.
    private readonly Queue<Subject> _runs = new();
    private readonly Queue<PeerObservers> _peers = new();
    private bool _isHeld;

    public NotificationJobs(ObserverLayer layer)
    {
        _layer = layer;
        _shard = layer.Shard;
        _isOnPoolThreads = ReferenceEquals(_shard.Environment.TimeProvider, TimeProvider.System);
    }

    // On a thread of the shared pool, where no handler runs.
    private bool MustHandOver => _isOnPoolThreads && UserCode.Role is null;

    private bool IsEmpty => _runs.Count == 0 && _peers.Count == 0;

    /// <summary>Has the handler of a subject run.</summary>
    public void Add(Subject subject, long now)
    {
        _runs.Enqueue(subject);
        Schedule(now);
    }

    /// <summary>Has a client looked after.</summary>
    public void Add(PeerObservers peer, long now)
    {
        _peers.Enqueue(peer);
        Schedule(now);
    }

    /// <summary>From here to <see cref="LookAfterPeers"/> the clock need not be woken for what comes.</summary>
    public void Hold() => _isHeld = true;

    /// <summary>
    /// Looks at once after some of the clients that wait, mostly those for whom a handler has just run, and leaves the others to the clock.
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

    /// <summary>Forgets all of them.</summary>
    public void Clear()
    {
        _runs.Clear();
        _peers.Clear();
        _shard.Wheel.Cancel(this);
    }

    internal override void Fire(long now)
    {
        if (MustHandOver)
        {
            _shard.AfterRelease(this);
            return;
        }

        DoSome(now);
        if (!IsEmpty)
        {
            _shard.AfterRelease(this);
        }
    }

    void IAfterRelease.OnReleased(CoapShard shard)
    {
        if (MustHandOver)
        {
            HandOver();
        }
        else
        {
            GoOn();
        }
    }

    // A slot in the past, so that the very next tick fires it.
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
        while (done < MaxPeersAtOnce && _peers.TryDequeue(out PeerObservers? peer))
        {
            _layer.Sender.Pump(peer, now);
            done++;
        }

        return done;
    }

    // Handlers that are to run do so after the lock was released, before anything else that was left with the shard later.
    private int DoSome(long now)
    {
        int done = LookAfterSome(now);
        if (_runs.TryDequeue(out Subject? subject))
        {
            done++;
            if (_layer.Runs.Begin(subject, now) is { } exchange)
            {
                // Where a timer drives the clock it is set anew only after this tick, and a handler may take its time.
                _shard.WakeFirst();
                _shard.Serve(exchange);
            }
        }

        if (IsEmpty)
        {
            _shard.Wheel.Cancel(this);
        }
        else
        {
            _shard.Wheel.Schedule(this, now + s_patience);
        }

        return done;
    }

    // The rest of the batch. Called without the lock, after the handler before.
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
                if (done >= MaxJobs)
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

    private void HandOver()
    {
        CoapEnvironment environment = _shard.Environment;
        if (!environment.Scheduler.TryQueue(s_goOn, this, environment.Counters, environment.Logger))
        {
            GoOn();
        }
    }
}
