using CoAP.NET.Composition;
using System.Runtime.CompilerServices;
using CoAP.NET.Exchanges;
using CoAP.NET.Transports;

namespace CoAP.NET.Shard;

/// <summary>
/// State and lock that a part of the peers share. Not a thread: whoever brings a message, a reply, a call or a tick enters,
/// decides, appends to the outbox of a channel, and leaves. What was decided is carried out on leaving, after the lock was released.
/// </summary>
internal sealed class CoapShard
{
    private static readonly bool s_countsLocks = AppContext.TryGetSwitch("CoAP.NET.CountLocks", out bool counts) && counts;

    // More than any timer or busy loop is late by.
    private static readonly long s_lateness = TimeSpan.FromSeconds(1).Ticks;

    // Guarded by Gate. Mostly one item is to be sent and nothing else, so the first one needs no list.
    private CoapOutbound _first;
    private bool _hasFirst;
    private ShardWork _pending = new();

    // Two, as an effect may enter and leave again while its own list is still carried out. One that is lost between threads is garbage.
    private ShardWork? _spare;
    private ShardWork? _secondSpare;

    // What was asked for lately, so that peers share it. Whatever two threads do to it at once, each gets what it asked for.
    private readonly ChannelRoute?[] _routes = new ChannelRoute?[16];

    public CoapShard(int index, CoapEnvironment environment)
    {
        Index = index;
        Environment = environment;
        Wheel = new TimerWheel(environment.Now);
        Drain = new ShardDrain(this);
    }

    public int Index { get; }

    public CoapEnvironment Environment { get; }

    /// <summary>The endpoint of the shard; null where there is none, as in tests of stages.</summary>
    public EndpointCore? Endpoint { get; init; }

    /// <summary>Protects messages of its peers; null for none.</summary>
    public CoapProtection? Protection { get; set; }

    /// <summary>See <see cref="CoapLimits.MaxProtectedPeers"/>.</summary>
    public int MaxProtectedPeers { get; init; } = int.MaxValue;

    /// <summary>What may be sent to addresses that nobody verified. One for all shards of an endpoint.</summary>
    public AddressGuard Guard
    {
        get => field ??= new AddressGuard(Environment);
        init;
    }

    /// <summary>
    /// Guards everything in the shard: channels, messaging and exchange state, the wheel. Take it by <see cref="Enter"/> and
    /// <see cref="Exit"/> wherever something may be posted, raised, scheduled or put off; a plain lock statement is right for looking only.
    /// </summary>
    public Lock Gate { get; } = new();

    /// <summary>Guarded by <see cref="Gate"/>.</summary>
    public TimerWheel Wheel { get; }

    /// <summary>Carries out what was decided under the lock.</summary>
    public ShardDrain Drain { get; }

    /// <summary>
    /// Drives the wheel; null before it was made and after it was disposed. Woken, outside the lock, when something may be due earlier than
    /// it knows.
    /// </summary>
    public ShardClock? Clock { get; set; }

    /// <summary>When the driver of the clock will look next, in units of 100 ns. Set under <see cref="Gate"/>.</summary>
    public long DriverDue
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    } = long.MaxValue;

    /// <summary>Whether so many peers have had only one exchange that it may be a flood. A hint, so not guarded.</summary>
    public bool HasManyNewcomers { get; set; }

    /// <summary>Whether only stages see messages between Exchanges and the Serializer, so that they may be used again.</summary>
    public bool LendsMessages { get; init; }

    /// <summary>The route of a peer's datagrams, mostly one that other peers have as well. Needs no lock.</summary>
    /// <param name="transport">The transport.</param>
    /// <param name="tag">The number by which the transport knows its own socket or connection.</param>
    /// <param name="local">Our address.</param>
    /// <returns>The route.</returns>
    public ChannelRoute RouteOf(CoapTransport transport, int tag, in CoapAddress local)
    {
        int hash = HashCode.Combine(RuntimeHelpers.GetHashCode(transport), tag, local);
        ref ChannelRoute? known = ref _routes[(uint)hash % (uint)_routes.Length];
        if (Volatile.Read(ref known) is { } route && route.Is(transport, tag, local))
        {
            return route;
        }

        route = new ChannelRoute(this, transport, tag, local);
        Volatile.Write(ref known, route);
        return route;
    }

    /// <summary>Whether the driver of the clock should have looked long ago. Needs no lock.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    public bool IsClockLate(long now) => now - DriverDue > s_lateness;

    /// <summary>
    /// Wakes a driver of the clock that is late. Whoever has the time at hand calls this now and then: a timer that does not fire would
    /// otherwise hold up every retransmission and time-out forever. Never under the lock.
    /// </summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    public void MindClock(long now)
    {
        if (IsClockLate(now))
        {
            Wake(isTick: false);
        }
    }

    /// <summary>
    /// How often <see cref="Enter"/> took the lock. Counted where the switch CoAP.NET.CountLocks is on, as in tests; elsewhere the compiler
    /// leaves it out.
    /// </summary>
    public long LocksTaken { get; private set; }

    /// <summary>Takes the lock. Never nested.</summary>
    public void Enter()
    {
        Gate.Enter();
        if (s_countsLocks)
        {
            LocksTaken++;
        }
    }

    /// <summary>
    /// Releases the lock, then wakes the clock if need be and carries out what was decided since <see cref="Enter"/>, on this thread. Never
    /// throws.
    /// </summary>
    public void Exit() => Leave(isTick: false);

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

        ShardWork? work = null;
        if (!_pending.IsEmpty)
        {
            work = _pending;
            _pending = Interlocked.Exchange(ref _spare, null) ?? Interlocked.Exchange(ref _secondSpare, null) ?? new ShardWork();
        }

        Gate.Exit();
        if (wake || isTick)
        {
            Wake(isTick);
        }

        if (hasFirst)
        {
            Drain.Carry(first);
        }

        if (work is not null)
        {
            Drain.Carry(work);
            work.Clear();
            Volatile.Write(ref Volatile.Read(ref _spare) is null ? ref _spare : ref _secondSpare, work);
        }
    }

    /// <summary>Sends an item after the lock was released, in the order of its channel. Only under the lock.</summary>
    /// <returns>Whether there was room; if not, the item is lost and counted, as a datagram may be on any network.</returns>
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

    /// <summary>Offers an item to the stage above after the lock was released. Only under the lock.</summary>
    public void Raise(in CoapInbound item) => _pending.Events.Add(item);

    /// <summary>Calls an object after the lock was released, as for what may run code of users. Only under the lock.</summary>
    public void AfterRelease(IAfterRelease who) => _pending.Effects.Add(ShardEffect.GoOn(who));

    /// <summary>
    /// Sends a message of ours that enters as from the Exchanges stage, so that blocks of users see it, after the lock was released and
    /// after what was put off before. Only under the lock. When a block declines it, it ends as <see cref="CoapInboundKind.NotSent"/>.
    /// </summary>
    public void Send(CoapTransmission transmission) => _pending.Effects.Add(ShardEffect.Send(transmission));

    /// <summary>Stops copies of a message of ours and frees its place, after the lock was released. Only under the lock.</summary>
    public void Cancel(CoapTransmission transmission) => _pending.Effects.Add(ShardEffect.Cancel(transmission));

    /// <summary>
    /// Offers a request to the Resource stage as if the peer had just sent it, after the lock was released. Only under the lock.
    /// </summary>
    public void Serve(CoapExchange exchange) => _pending.Effects.Add(ShardEffect.Serve(exchange));

    /// <summary>Answers a request that waited, after the lock was released; with null it gets no answer. Only under the lock.</summary>
    public void Answer(CoapExchange exchange, CoapResult? result) => _pending.Effects.Add(ShardEffect.Answer(exchange, result));

    /// <summary>Fails a request of ours that was taken out of the tables, after the lock was released. Only under the lock.</summary>
    public void Tell(PendingRequest request, CoapException error) => _pending.Effects.Add(ShardEffect.Tell(request, error));

    /// <summary>Fires what is due by the clock and carries out what follows. Called by the driver of the clock, without the lock.</summary>
    /// <param name="now">Now, in units of 100 ns.</param>
    /// <returns>When to call next, at the latest; <see cref="long.MaxValue"/> when nothing waits.</returns>
    public long Advance(long now)
    {
        Enter();
        long due;
        Exception? failure = null;
        try
        {
            Wheel.Advance(now);
        }
#pragma warning disable CA1031 // law of the mesh: stage code never throws, least of all into the driver of the clock
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

    // A timer of a user's TimeProvider may throw: what was decided is carried out all the same, and whoever leaves next wakes it.
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
#pragma warning disable CA1031 // law of the mesh: stage code never throws
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

    /// <summary>Counts and logs what stage code threw.</summary>
    public void Failed(Exception exception) => InlineFailure.Report(Environment.Counters, Environment.Logger, exception);
}
