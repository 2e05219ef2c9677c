namespace CoAP.NET.Observing.Server;

/// <summary>
/// The waiting work for the notifications of a shard: changed subjects whose handlers must run, and clients with waiting notifications.
/// Each tick of the shard's clock processes a batch, and requests are processed between the ticks. A caller that reports a change never
/// runs a handler. Handlers run without the lock, on the thread of the tick, which belongs to the library or to the driver of the clock.
/// </summary>
internal sealed class NotificationWorkQueue(CoapShard shard) : WheelTimer, IDeferredWork
{
    // Guarded by the shard's lock.
    private readonly Queue<ObservedSubject> _runs = new();
    private readonly Queue<PeerObservers> _peers = new();
    private bool _isSuspended;

    private bool IsEmpty => _runs.Count == 0 && _peers.Count == 0;

    /// <summary>Schedules a run of the handler of a subject.</summary>
    public void Add(ObservedSubject subject, long now)
    {
        _runs.Enqueue(subject);
        Schedule(now);
    }

    /// <summary>Schedules the sending of a client's waiting notifications.</summary>
    public void Add(PeerObservers peer, long now)
    {
        _peers.Enqueue(peer);
        Schedule(now);
    }

    /// <summary>Stops scheduling ticks until <see cref="Resume"/>.</summary>
    public void Suspend() => _isSuspended = true;

    /// <summary>
    /// Sends to some of the waiting clients at once, usually those whose handler has just run, and leaves the others to the clock.
    /// </summary>
    public void Resume(long now)
    {
        SendToSome(now);
        _isSuspended = false;
        if (!IsEmpty)
        {
            Schedule(now);
        }
    }

    public void Clear()
    {
        _runs.Clear();
        _peers.Clear();
        shard.Wheel.Cancel(this);
    }

    internal override void Fire(long now)
    {
        ProcessSome(now);
        if (!IsEmpty)
        {
            shard.AfterRelease(this);
        }
    }

    void IDeferredWork.OnReleased(CoapShard owner) => Continue();

    // A slot in the past, so that it fires at the next tick.
    private void Schedule(long now)
    {
        if (!_isSuspended && (!IsScheduled || Due > now))
        {
            shard.Wheel.Schedule(this, now - (1L << TimerWheel.SlotBits));
        }
    }

    private int SendToSome(long now)
    {
        int done = 0;
        while (done < UserCodePolicy.ItemsAtOnce && _peers.TryDequeue(out PeerObservers? peer))
        {
            peer.SendWaiting(now);
            done++;
        }

        return done;
    }

    // A handler runs after the lock was released, before any work that the shard queues later.
    private int ProcessSome(long now)
    {
        int done = SendToSome(now);
        if (_runs.TryDequeue(out ObservedSubject? subject))
        {
            done++;
            if (subject.BeginRun(now) is { } exchange)
            {
                shard.AfterRelease(exchange);
            }
        }

        if (IsEmpty)
        {
            shard.Wheel.Cancel(this);
        }
        else
        {
            // If a handler blocks, a later tick continues with the others. It comes after another thread has taken over the loop.
            shard.Wheel.Schedule(this, now + (2 * UserCodePolicy.HandOverAfter.Ticks));
        }

        return done;
    }

    // The rest of the batch. Called without the lock, after the previous handler.
    private void Continue()
    {
        for (int done = 1; ;)
        {
            shard.Enter();
            try
            {
                if (IsEmpty)
                {
                    return;
                }

                long now = shard.Environment.Now;
                if (done >= UserCodePolicy.ItemsAtOnce)
                {
                    Schedule(now);
                    return;
                }

                done += ProcessSome(now);
            }
            finally
            {
                shard.ExitAndSend();
            }
        }
    }
}
