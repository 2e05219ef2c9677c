using CoAP.NET.Diagnostics;
using CoAP.NET.Execution;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Peers;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Mesh;

/// <summary>
/// Timers fire when they are due, whatever time the thread that sets them takes it to be, and whether or not the timer of the clock fires.
/// </summary>
public sealed class ShardTimerDriverTests
{
    private static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc0000201, 5683);
    private static readonly CoapAddress s_stranger = CoapAddress.FromIPv4(0xc0000202, 5683);

    [Fact]
    public async Task Due_retransmissions_are_sent_when_a_datagram_arrives_although_the_timer_does_not_fire()
    {
        StoppedTimers time = new();
        DirectTransport transport = new();
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = time, Pipeline = { Random = new VirtualRandom(1) } });
        client.Endpoint.AddTransport(transport);
        Task<CoapResponse> request = client.GetAsync("coap://192.0.2.1/x");
        string sent = Assert.Single(transport.TakeSent());
        time.Advance(FromSeconds(5));
        transport.HasSentNothing();

        transport.Receive(s_stranger, "40000001");
        transport.HasSent(sent, "70000001");
        transport.Receive(s_server, $"6445{sent[4..8]}{sent[8..16]}");
        await request.WaitAsync(FromMinutes(2));
    }

    [Fact]
    public void User_code_called_by_a_timer_runs_after_the_next_timer_was_set()
    {
        OneTimer time = new();
        CoapShard shard = new(0, EnvironmentOf(time));
        using ShardTimerDriver clock = new(shard);
        TimeSpan setTo = default;
        shard.Enter();
        shard.Wheel.Schedule(new ActingTimer(shard, () => setTo = time.DueTime), shard.Environment.Now + TimeSpan.TicksPerSecond);
        shard.Wheel.Schedule(new ActingTimer(shard, static () => { }), shard.Environment.Now + (5 * TimeSpan.TicksPerSecond));
        shard.ExitAndSend();
        Assert.InRange(time.DueTime, FromSeconds(1), FromSeconds(1.1));

        time.Fire();
        Assert.InRange(setTo, FromSeconds(3.8), FromSeconds(4.1));
    }

    [Fact]
    public void Setting_a_timer_is_retried_after_a_failure()
    {
        OneTimer time = new();
        CoapShard shard = new(0, EnvironmentOf(time));
        using ShardTimerDriver clock = new(shard);
        shard.Enter();
        shard.Wheel.Schedule(new ActingTimer(shard, static () => { }), shard.Environment.Now + TimeSpan.TicksPerSecond);
        shard.Wheel.Schedule(new ActingTimer(shard, static () => { }), shard.Environment.Now + (5 * TimeSpan.TicksPerSecond));
        shard.ExitAndSend();
        time.Failures = 1;
        time.Fire();
        Assert.Equal(UserCodePolicy.HandOverAfter, time.DueTime);
        Assert.Equal(1, shard.Environment.Counters[CoapCounter.StageErrors]);
        time.Fire();
        Assert.InRange(time.DueTime, FromSeconds(3.8), FromSeconds(4.1));
    }

    [Fact]
    public void A_shard_clock_detects_whether_its_timer_fires_on_the_thread_pool()
    {
        Assert.True(FiresOnPool(TimeProvider.System));
        Assert.True(FiresOnPool(new OwnDate()));
        Assert.False(FiresOnPool(new VirtualClock()));
        Assert.False(FiresOnPool(new OneTimer()));
        CoapShard shard = new(0, EnvironmentOf(TimeProvider.System));
        using ShardTimerDriver clock = new(shard);
        clock.DriveBy(new NullTransport());
        Assert.False(clock.FiresOnPool);
    }

    [Fact]
    public async Task Work_that_a_timer_of_the_shared_pool_finds_due_runs_on_a_library_thread()
    {
        CoapShard shard = new(0, EnvironmentOf(TimeProvider.System));
        using ShardTimerDriver clock = new(shard);
        TaskCompletionSource<bool> isPool = new(RunContinuationsAsynchronously);
        shard.Enter();
        shard.Wheel.Schedule(new ActingTimer(shard, () => isPool.TrySetResult(Thread.CurrentThread.IsThreadPoolThread)),
            shard.Environment.Now + TimeSpan.TicksPerMillisecond);
        shard.ExitAndSend();

        Assert.False(await isPool.Task.WaitAsync(FromMinutes(1)));
    }

    [Fact]
    public async Task A_thread_that_finds_the_clock_late_does_not_run_the_due_timers_itself()
    {
        ShiftedTime time = new();
        CoapShard shard = new(0, EnvironmentOf(time));
        using ShardTimerDriver clock = new(shard);
        TaskCompletionSource<Thread> ran = new(RunContinuationsAsynchronously);
        shard.Enter();
        shard.Wheel.Schedule(new ActingTimer(shard, () => ran.TrySetResult(Thread.CurrentThread)),
            shard.Environment.Now + TimeSpan.TicksPerHour);
        shard.ExitAndSend();
        time.Shift = 2 * time.TimestampFrequency * 3600;
        Thread finder = Thread.CurrentThread;
        shard.MindClock(shard.Environment.Now);

        Thread runner = await ran.Task.WaitAsync(FromMinutes(1));
        Assert.NotSame(finder, runner);
        Assert.False(runner.IsThreadPoolThread);
    }

    private static bool FiresOnPool(TimeProvider time)
    {
        using ShardTimerDriver clock = new(new CoapShard(0, EnvironmentOf(time)));
        return clock.FiresOnPool;
    }

    private static CoapEnvironment EnvironmentOf(TimeProvider time) => new()
    {
        TimeProvider = time,
        Random = new VirtualRandom(1),
        Scheduler = CoapThreadScheduler.Default,
        Limits = new CoapLimits(),
        Counters = new CoapCounters(),
        Logger = NullLogger.Instance,
        ParametersOf = _ => CoapTransmissionParameters.Default,
    };

    /// <summary>A time of one's own, whose timers are the system's.</summary>
    private sealed class OwnDate : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => DateTimeOffset.UnixEpoch;
    }

    /// <summary>A clock that can be put ahead, whose timers are the system's and do not notice.</summary>
    private sealed class ShiftedTime : TimeProvider
    {
        public long Shift { get; set; }

        public override long GetTimestamp() => base.GetTimestamp() + Shift;
    }

    /// <summary>Leaves an action to be called after the lock was released.</summary>
    private sealed class ActingTimer(CoapShard shard, Action action) : WheelTimer, IDeferredWork
    {
        internal override void Fire(long now) => shard.AfterRelease(this);

        void IDeferredWork.OnReleased(CoapShard ofTimer) => action();
    }

    /// <summary>A clock with one timer, which fires when the test says so.</summary>
    private sealed class OneTimer : TimeProvider, ITimer
    {
        private long _ticks = TimeSpan.TicksPerDay;
        private TimerCallback? _callback;
        private object? _state;

        public TimeSpan DueTime { get; private set; }

        public int Failures { get; set; }

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => _ticks;

        public void Fire()
        {
            _ticks += DueTime.Ticks;
            _callback!(_state);
        }

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            (_callback, _state) = (callback, state);
            return this;
        }

        public bool Change(TimeSpan dueTime, TimeSpan period)
        {
            if (Failures > 0)
            {
                Failures--;
                throw new InvalidOperationException();
            }

            DueTime = dueTime;
            return true;
        }

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }

    private sealed class FiringTimer : WheelTimer
    {
        private readonly TaskCompletionSource _fired = new(RunContinuationsAsynchronously);

        public Task Fired => _fired.Task;

        internal override void Fire(long now) => _fired.TrySetResult();
    }

    /// <summary>A clock that is moved, and whose timers never fire: as where every thread that could call them is blocked.</summary>
    private sealed class StoppedTimers : TimeProvider, ITimer
    {
        private long _ticks = TimeSpan.TicksPerDay;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Interlocked.Read(ref _ticks);

        public void Advance(TimeSpan by) => Interlocked.Add(ref _ticks, by.Ticks);

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => this;

        public bool Change(TimeSpan dueTime, TimeSpan period) => true;

        public void Dispose()
        {
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
