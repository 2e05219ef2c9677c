using CoAP.NET.Execution;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Tests.Mesh;

/// <summary>
/// Timers fire when they are due, whatever time the thread that sets them takes it to be, and whether or not the timer of the clock fires.
/// </summary>
public sealed class ShardClockTests
{
    private static readonly CoapAddress s_server = CoapAddress.FromIPv4(0xc0000201, 5683);
    private static readonly CoapAddress s_stranger = CoapAddress.FromIPv4(0xc0000202, 5683);

    [Fact]
    public async Task A_timer_that_is_set_with_an_old_time_at_hand_is_not_late_by_its_age()
    {
        CoapEnvironment environment = new()
        {
            TimeProvider = TimeProvider.System,
            Random = new VirtualRandom(1),
            Scheduler = CoapScheduler.Default,
            Limits = new CoapLimits(),
            Counters = new CoapCounters(),
            Logger = NullLogger.Instance,
            ParametersOf = _ => CoapTransmissionParameters.Default,
        };
        CoapShard shard = new(0, environment);
        using ShardClock clock = new(shard);
        FiringTimer timer = new();
        StageTime.Begin();
        StageTime.Keep(environment.ReadClock() - TimeSpan.TicksPerHour);
        try
        {
            shard.Enter();
            shard.Wheel.Schedule(timer, environment.ReadClock() + TimeSpan.TicksPerMillisecond);
            shard.Exit();
        }
        finally
        {
            StageTime.End();
        }

        await timer.Fired.WaitAsync(TimeSpan.FromSeconds(30));
    }

    [Fact]
    public async Task What_is_due_is_done_when_something_comes_although_the_timer_does_not_fire()
    {
        StoppedTimers time = new();
        DirectTransport transport = new();
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = time, Random = new VirtualRandom(1) });
        client.Endpoint.AddTransport(transport);
        Task<CoapResponse> request = client.GetAsync("coap://192.0.2.1/x");
        string sent = Assert.Single(transport.TakeSent());
        time.Advance(TimeSpan.FromSeconds(5));
        Assert.Empty(transport.TakeSent());

        transport.Receive(s_stranger, "40000001");
        Assert.Equal([sent, "70000001"], transport.TakeSent());
        transport.Receive(s_server, $"6445{sent[4..8]}{sent[8..16]}");
        await request.WaitAsync(TimeSpan.FromSeconds(30));
    }

    private sealed class FiringTimer : WheelTimer
    {
        private readonly TaskCompletionSource _fired = new(TaskCreationOptions.RunContinuationsAsynchronously);

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
