using System.Runtime.CompilerServices;

namespace CoAP.NET.Shard;

/// <summary>
/// The state and lock of a part of the peers. Not a thread: a thread with a message, a reply, a call or a tick enters, decides, appends to
/// the outbox of a channel, and leaves. On leaving, it carries out the decisions after the release of the lock.
/// </summary>
internal sealed class CoapShard
{
    private static readonly bool s_countsLocks = AppContext.TryGetSwitch("CoAP.NET.CountLocks", out bool counts) && counts;

    // Longer than the delay of any timer or busy loop.
    private static readonly long s_lateness = TimeSpan.FromSeconds(1).Ticks;

    // Guarded by Gate. Mostly there is only one item to send, so the first one needs no list.
    private CoapOutbound _first;
    private bool _hasFirst;
    private PendingEffects _pending = new();

    // Two lists, because an effect may enter and leave again while its own list is still carried out. A list that is lost between threads
    // becomes garbage.
    private PendingEffects? _spare;
    private PendingEffects? _secondSpare;

    // Recently requested routes, so that peers share them. Concurrent threads always get what they asked for.
    private readonly ChannelLocalEnd?[] _routes = new ChannelLocalEnd?[16];

    public CoapShard(int index, CoapEnvironment environment)
    {
        Index = index;
        Environment = environment;
        Wheel = new TimerWheel(environment.Now);
        Eviction = new PeerEviction(this);
    }

    public int Index { get; }

    public CoapEnvironment Environment { get; }

    /// <summary>Protects messages of its peers; null for none.</summary>
    public CoapMessageProtector? Protection { get; set; }

    public int MaxProtectedPeers { get; init; } = int.MaxValue;

    /// <summary>Limits the traffic to unverified addresses. One for all shards of an endpoint.</summary>
    public AmplificationLimiter Guard
    {
        get => field ??= new AmplificationLimiter(Environment);
        init;
    }

    /// <summary>
    /// Guards everything in the shard: channels, messaging and exchange state, the wheel. Take it with <see cref="Enter"/> and
    /// <see cref="ExitAndSend"/> wherever something may be posted, raised, scheduled or deferred; use a plain lock statement only for
    /// reading.
    /// </summary>
    public Lock Gate { get; } = new();

    /// <summary>Guarded by <see cref="Gate"/>.</summary>
    public TimerWheel Wheel { get; }

    /// <summary>
    /// What the decisions made under the lock do after its release; null before the stages exist. Set before the first message.
    /// </summary>
    public IShardEffects? Effects { get; set; }

    /// <summary>The endpoint of the shard. Set before the first message.</summary>
    public IPeerActions Endpoint { get; set; } = NullPeerActions.Instance;

    /// <summary>Forgets peers. Under <see cref="Gate"/>.</summary>
    public PeerEviction Eviction { get; }

    /// <summary>The state machine that owns the timers of messages. Set before the first message.</summary>
    public ITimerOwner? MessageTimers { get; set; }

    /// <summary>
    /// Drives the wheel; null before its creation and after its disposal. Woken, outside the lock, when something may be due earlier than
    /// it knows.
    /// </summary>
    public ShardTimerDriver? Clock { get; set; }

    /// <summary>When the driver of the clock will check next, in units of 100 ns. Set under <see cref="Gate"/>.</summary>
    public long DriverDue
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    } = long.MaxValue;

    /// <summary>Whether so many peers have had only one exchange that it may be a flood. A hint, so not guarded.</summary>
    public bool HasManyNewcomers { get; set; }

    /// <summary>Whether blocks of the application may still hold requests when the endpoint stops.</summary>
    public bool KeepsRequests { get; set; }

    /// <summary>The items that wait for the thread that drains the outbox of their channel. Guarded by <see cref="Gate"/>.</summary>
    public Dictionary<CoapChannel, Queue<CoapOutbound>> WaitingOutbound { get; } = [];

    /// <summary>Returns the route of a peer's datagrams, mostly one that other peers share. Needs no lock.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="tag">Identifies the socket or connection within the transport.</param>
    /// <param name="local">The local address.</param>
    /// <returns>The route.</returns>
    public ChannelLocalEnd RouteOf(CoapTransport transport, int tag, in CoapAddress local)
    {
        int hash = HashCode.Combine(RuntimeHelpers.GetHashCode(transport), tag, local);
        ref ChannelLocalEnd? known = ref _routes[(uint)hash % (uint)_routes.Length];
        if (Volatile.Read(ref known) is { } route && route.Is(transport, tag, local))
        {
            return route;
        }

        route = new ChannelLocalEnd(this, transport, tag, local);
        Volatile.Write(ref known, route);
        return route;
    }

    /// <summary>Whether the driver of the clock is long overdue. Needs no lock.</summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public bool IsClockLate(long now) => now - DriverDue > s_lateness;

    /// <summary>
    /// Wakes an overdue driver of the clock. Code that has the time at hand calls this now and then: otherwise a timer that does not fire
    /// would delay every retransmission and timeout forever. Never under the lock.
    /// </summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public void MindClock(long now)
    {
        if (IsClockLate(now))
        {
            Wake(isTick: false);
        }
    }

    /// <summary>
    /// How often <see cref="Enter"/> took the lock. Counted only when the switch CoAP.NET.CountLocks is on, as in tests; otherwise the
    /// compiler removes it.
    /// </summary>
    public long LocksTaken { get; private set; }

    /// <summary>Takes the lock. Never nested: a state machine is called under the lock, and takes none.</summary>
    /// <exception cref="InvalidOperationException">This thread has the lock. Checked only with the switch of <see cref="LocksTaken"/>, as
    /// in tests.</exception>
    public void Enter()
    {
        if (s_countsLocks && Gate.IsHeldByCurrentThread)
        {
            throw new InvalidOperationException(
                "This thread has the lock of the shard already. Call state machines under it, and blocks without.");
        }

        Gate.Enter();
        if (s_countsLocks)
        {
            LocksTaken++;
        }
    }

    /// <summary>
    /// Releases the lock, then wakes the clock if necessary and carries out the decisions since <see cref="Enter"/>, on this thread. Never
    /// throws.
    /// </summary>
    public void ExitAndSend() => Leave(isTick: false);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void Leave(bool isTick)
    {
        long due = Wheel.NextDue;
        bool wake = due < DriverDue;
        if (wake)
        {
            DriverDue = due;
        }

        bool hasFirst = _hasFirst;
        CoapOutbound first = default;
        if (hasFirst)
        {
            first = _first;
            _first = default;
            _hasFirst = false;
        }

        PendingEffects? work = null;
        if (!_pending.IsEmpty)
        {
            work = _pending;
            _pending = Interlocked.Exchange(ref _spare, null) ?? Interlocked.Exchange(ref _secondSpare, null) ?? new PendingEffects();
        }

        Gate.Exit();
        if (wake || isTick)
        {
            Wake(isTick);
        }

        if (hasFirst)
        {
            Carry(first);
        }

        if (work is not null)
        {
            Carry(work);
            work.Clear();
            Volatile.Write(ref Volatile.Read(ref _spare) is null ? ref _spare : ref _secondSpare, work);
        }
    }

    /// <summary>Sends an item after the release of the lock, in the order of its channel. Only under the lock.</summary>
    /// <returns>False when there is no room: the item is lost and counted, like a datagram on any network.</returns>
    public bool Post(in CoapOutbound item)
    {
        CoapChannel channel = item.Channel;
        if (channel.Outbox.IsFull(channel))
        {
            Environment.Counters.Add(CoapCounter.Declined);
            return false;
        }

        if (channel.Outbox.TryEnter(item))
        {
            if (_hasFirst)
            {
                _pending.Sends.Add(item);
            }
            else
            {
                _first = item;
                _hasFirst = true;
            }
        }

        return true;
    }

    /// <summary>Offers an item to the stage above after the release of the lock. Only under the lock.</summary>
    public void Raise(in CoapInbound item) => _pending.Events.Add(item);

    /// <summary>
    /// Calls an object after the release of the lock, for example because it may run application code. Only under the lock.
    /// </summary>
    public void AfterRelease(IDeferredWork who) => _pending.Effects.Add(new ShardEffect { Continuation = who });

    /// <summary>
    /// Sends a message as if from the Exchanges stage, so that blocks of the application see it, after the release of the lock and after
    /// earlier effects. Only under the lock. If a block declines it, it ends as <see cref="CoapInboundKind.NotSent"/>.
    /// </summary>
    public void Send(CoapTransmission transmission) => _pending.Effects.Add(new ShardEffect { Sent = transmission });

    /// <summary>Stops the copies of a message and frees its place, after the release of the lock. Only under the lock.</summary>
    public void Cancel(CoapTransmission transmission) => _pending.Effects.Add(new ShardEffect { Cancelled = transmission });

    /// <summary>Fires the due timers and carries out their effects. The driver of the clock calls it without the lock.</summary>
    /// <param name="now">The current time, in units of 100 ns.</param>
    /// <returns>The latest time of the next call; <see cref="long.MaxValue"/> without timers.</returns>
    public long Advance(long now)
    {
        Enter();
        long due;
        Exception? failure = null;
        try
        {
            Wheel.Advance(now);
        }
#pragma warning disable CA1031 // rule of the mesh: stage code never throws, least of all into the driver of the clock
        catch (Exception exception)
#pragma warning restore CA1031
        {
            failure = exception;
        }
        finally
        {
            due = Wheel.NextDue;
            DriverDue = due;
            Leave(isTick: true);
        }

        if (failure is not null)
        {
            Failed(failure);
        }

        return due;
    }

    // Carries out everything from one period under the lock. Never throws.
    private void Carry(PendingEffects work)
    {
        foreach (CoapOutbound item in work.Sends)
        {
            Carry(item);
        }

        foreach (CoapInbound item in work.Events)
        {
            try
            {
                Effects?.Raise(in item);
            }
#pragma warning disable CA1031 // rule of the mesh: stage code never throws
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Failed(exception);
            }
        }

        foreach (ShardEffect effect in work.Effects)
        {
            try
            {
                if (effect.Continuation is { } continuation)
                {
                    continuation.OnReleased(this);
                }
                else if (effect.Sent is { } sent)
                {
                    Effects?.Send(sent);
                }
                else
                {
                    Effects?.Cancel(effect.Cancelled!);
                }
            }
#pragma warning disable CA1031 // rule of the mesh: stage code never throws
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Failed(exception);
            }
        }
    }

    // Sends an item that entered the outbox of its channel, and later items of that outbox. Never throws.
    private void Carry(CoapOutbound item)
    {
        CoapChannel channel = item.Channel;
        while (true)
        {
            try
            {
                Effects?.Post(in item);
            }
#pragma warning disable CA1031 // the outbox must become free again, whatever happens to one item
            catch (Exception exception)
#pragma warning restore CA1031
            {
                Failed(exception);
            }

            if (channel.Outbox.TryLeave())
            {
                return;
            }

            lock (Gate)
            {
                if (!channel.Outbox.TryNext(channel, out item))
                {
                    return;
                }
            }
        }
    }

    // A timer of an application's TimeProvider may throw. The decisions are carried out nevertheless, and the next thread that leaves wakes
    // it.
    private void Wake(bool isTick)
    {
        try
        {
            if (isTick)
            {
                Clock?.OnTicked();
            }
            else
            {
                Clock?.Wake();
            }
        }
#pragma warning disable CA1031 // rule of the mesh: stage code never throws
        catch (Exception exception)
#pragma warning restore CA1031
        {
            lock (Gate)
            {
                DriverDue = long.MaxValue;
            }

            Failed(exception);
        }
    }

    /// <summary>Counts and logs an exception of stage code.</summary>
    public void Failed(Exception exception) => StageExceptionReporter.Report(Environment.Counters, Environment.Logger, exception);
}
