using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Tests.Peers;

namespace CoAP.NET.Tests.Messaging;

/// <summary>What is decided under the lock of a shard and carried out after.</summary>
public sealed class ShardTests
{
    private readonly MessagingRig _rig = new();
    private readonly CoapShard _shard;

    public ShardTests() => _shard = _rig.Shard;

    [Fact]
    public void Work_deferred_until_after_the_lock_is_released_runs_in_order()
    {
        List<string> calls = [];
        _shard.Enter();
        _shard.AfterRelease(new Late(() => calls.Add($"first {_shard.Gate.IsHeldByCurrentThread}")));
        _shard.AfterRelease(new Late(() => calls.Add($"second {_shard.Gate.IsHeldByCurrentThread}")));
        Assert.Empty(calls);
        _shard.ExitAndSend();
        Assert.Equal(["first False", "second False"], calls);

        _shard.Enter();
        _shard.ExitAndSend();
        Assert.Equal(2, calls.Count);
    }

    [Fact]
    public void Entering_a_shard_twice_on_the_same_thread_throws()
    {
        _shard.Enter();
        Assert.Throws<InvalidOperationException>(_shard.Enter);
        _shard.ExitAndSend();

        _shard.Enter();
        _shard.ExitAndSend();
        Assert.False(_shard.Gate.IsHeldByCurrentThread);
    }

    [Fact]
    public void Effects_after_the_release_of_the_lock_run_in_the_order_in_which_they_were_queued()
    {
        PingRequest ping = new(new ExchangeLayer(_shard), _rig.Channel(), default, _rig.Clock.Now, passesQueue: false);
        List<bool> told = [];
        _shard.Enter();
        _shard.AfterRelease(new Late(() => told.Add(ping.IsCompleted)));
        ping.FailAfterRelease(new CoapException("It was given up."));
        _shard.AfterRelease(new Late(() => told.Add(ping.IsCompleted)));
        Assert.False(ping.IsCompleted);
        _shard.ExitAndSend();
        Assert.Equal([false, true], told);
        Assert.IsType<CoapException>(ping.Completion.Task.Exception!.InnerException);
    }

    [Fact]
    public void An_exception_after_the_lock_is_released_is_counted_and_stops_nothing_else()
    {
        bool ran = false;
        _rig.Outgoing = _ => throw new InvalidOperationException("a block of a user");
        CoapChannel channel = _rig.Channel();
        _shard.Enter();
        _shard.AfterRelease(new Late(() => throw new InvalidOperationException("a completion")));
        _shard.AfterRelease(new Late(() => ran = true));
        _shard.Post(new CoapOutbound { Channel = channel, Encoded = new byte[4] });
        _shard.ExitAndSend();

        Assert.True(ran);
        Assert.Equal(2, _rig.Counters[CoapCounter.StageErrors]);
        _rig.Outgoing = _ => true;
        _rig.Receive(channel, "40000001");
        Assert.Equal(["70000001"], _rig.Bytes);
    }

    [Fact]
    public void An_exception_of_a_timer_is_counted_and_later_timers_fire()
    {
        _shard.Enter();
        _shard.Wheel.Schedule(new Timer(_ => throw new InvalidOperationException("a timer")), _rig.Clock.Now);
        _shard.ExitAndSend();
        _rig.Pass(1);
        Assert.Equal(1, _rig.Counters[CoapCounter.StageErrors]);
        Assert.False(_shard.Gate.IsHeldByCurrentThread);
    }

    [Fact]
    public void Messages_posted_during_sending_are_sent_in_order()
    {
        CoapChannel channel = _rig.Channel();
        int depth = 0;
        List<byte> order = [];
        _rig.Outgoing = item =>
        {
            order.Add(item.Encoded.Span[0]);
            if (depth++ < 3)
            {
                Post(channel, (byte)(10 + (2 * depth)), (byte)(11 + (2 * depth)));
            }

            order.Add(255);
            return null;
        };
        Post(channel, 1, 2);
        Assert.Equal([1, 255, 2, 255, 12, 255, 13, 255, 14, 255, 15, 255, 16, 255, 17, 255], order);
    }

    [Fact]
    public void The_clock_is_woken_once_for_each_timer_earlier_than_all_known_timers()
    {
        int wakes = 0;
        using ShardTimerDriver clock = new(_shard);
        clock.DriveBy(new NullTransport(() =>
        {
            Assert.False(_shard.Gate.IsHeldByCurrentThread);
            wakes++;
        }));
        wakes = 0;
        long now = _rig.Clock.Now;
        Schedule(now + TimeSpan.TicksPerSecond);
        Assert.Equal(1, wakes);
        Schedule(now + (2 * TimeSpan.TicksPerSecond));
        Assert.Equal(1, wakes);
        Schedule(now + (TimeSpan.TicksPerSecond / 2));
        Assert.Equal(2, wakes);
        _rig.Pass(5);
        Assert.Equal(2, wakes);
        Assert.Equal(long.MaxValue, _shard.Advance(_rig.Clock.Now));
    }

    [Fact]
    public void A_late_clock_is_woken_by_any_thread_that_reads_the_time()
    {
        int wakes = 0;
        using ShardTimerDriver clock = new(_shard);
        clock.DriveBy(new NullTransport(() => wakes++));
        wakes = 0;
        long now = _rig.Clock.Now;
        _shard.MindClock(now + TimeSpan.TicksPerDay);
        Assert.Equal(0, wakes);
        Schedule(now + TimeSpan.TicksPerSecond);
        _shard.MindClock(now + (2 * TimeSpan.TicksPerSecond));
        Assert.Equal(1, wakes);
        _shard.MindClock(now + (3 * TimeSpan.TicksPerSecond));
        Assert.Equal(2, wakes);
    }

    [Fact]
    public void Requests_answered_at_once_do_not_wake_the_clock_each_time()
    {
        int wakes = 0;
        using ShardTimerDriver clock = new(_shard);
        clock.DriveBy(new NullTransport(() => wakes++));
        wakes = 0;
        _rig.Handle = item => _rig.Reply(item, new CoapMessage(CoapCode.Content));
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 1000; i++)
        {
            _rig.Receive(channel, $"4001{i:x4}");
            _rig.Clock.Now += TimeSpan.TicksPerMillisecond;
            _shard.Advance(_rig.Clock.Now);
        }

        Assert.InRange(wakes, 1, 4);
    }

    [Fact]
    public void Thousands_of_timers_in_a_slot_fire_in_order_of_due_time_and_creation()
    {
        List<int> fired = [];
        Timer[] timers = new Timer[20_000];
        _shard.Enter();
        long due = _rig.Clock.Now + TimeSpan.TicksPerSecond;
        for (int i = 0; i < timers.Length; i++)
        {
            int number = i;
            timers[i] = new Timer(_ =>
            {
                fired.Add(number);
                if (number == 0)
                {
                    _shard.Wheel.Cancel(timers[1]);
                }
            });
            _shard.Wheel.Schedule(timers[i], due + (i / 100));
        }

        _shard.ExitAndSend();
        _rig.Pass(2);
        Assert.Equal(Enumerable.Range(0, timers.Length).Where(i => i != 1), fired);
        Assert.Equal(0, _shard.Wheel.Count);
    }

    private void Schedule(long due)
    {
        _shard.Enter();
        _shard.Wheel.Schedule(new Timer(_ => { }), due);
        _shard.ExitAndSend();
    }

    private void Post(CoapChannel channel, params byte[] marks)
    {
        _shard.Enter();
        foreach (byte mark in marks)
        {
            _shard.Post(new CoapOutbound { Channel = channel, Encoded = new[] { mark } });
        }

        _shard.ExitAndSend();
    }

    private sealed class Timer(Action<long> fire) : WheelTimer
    {
        internal override void Fire(long now) => fire(now);
    }

    private sealed class Late(Action act) : IDeferredWork
    {
        public void OnReleased(CoapShard shard) => act();
    }
}
