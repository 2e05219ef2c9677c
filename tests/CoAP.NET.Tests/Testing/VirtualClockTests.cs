using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Testing;

public class VirtualClockTests
{
    private static readonly TimeSpan s_second = FromSeconds(1);

    private readonly VirtualClock _clock = new(new DateTimeOffset(2031, 5, 4, 12, 0, 0, FromHours(2)));
    private readonly List<string> _fired = [];

    [Fact]
    public void The_clock_keeps_its_time_until_Advance_is_called()
    {
        long before = _clock.GetTimestamp();
        Assert.Equal(before, _clock.GetTimestamp());
        Assert.Equal(new DateTimeOffset(2031, 5, 4, 10, 0, 0, TimeSpan.Zero), _clock.GetUtcNow());

        _clock.Advance(FromMilliseconds(1500));

        Assert.Equal(10_000_000, _clock.TimestampFrequency);
        Assert.Equal(15_000_000, _clock.GetTimestamp() - before);
        Assert.Equal(FromSeconds(1.5), _clock.GetElapsedTime(before));
        Assert.Equal(FromSeconds(1.5), _clock.Elapsed);
        Assert.Equal(new DateTimeOffset(2031, 5, 4, 10, 0, 1, 500, TimeSpan.Zero), _clock.GetUtcNow());
        Assert.Equal(TimeSpan.Zero, _clock.GetLocalNow().Offset);
    }

    [Fact]
    public void The_local_time_zone_is_the_given_zone()
    {
        TimeZoneInfo zone = TimeZoneInfo.CreateCustomTimeZone("test", FromHours(3), "test", "test");
        Assert.Equal(FromHours(3), new VirtualClock(DateTimeOffset.UnixEpoch, zone).GetLocalNow().Offset);
    }

    [Fact]
    public void Timers_fire_by_due_time_and_see_their_own_time()
    {
        Timer("b", 2);
        Timer("c", 3);
        Timer("a", 1);

        _clock.Advance(3 * s_second);

        Assert.Equal(["a@1", "b@2", "c@3"], _fired);
        Assert.Equal(0, _clock.TimerCount);
    }

    [Fact]
    public void Timers_due_at_the_same_instant_fire_in_the_order_of_their_creation()
    {
        foreach (char name in "hgfedcba")
        {
            Timer(name.ToString(), 1);
        }

        _clock.Advance(s_second);

        Assert.Equal("hgfedcba", string.Concat(_fired.Select(fired => fired[0])));
    }

    [Fact]
    public void A_timer_never_fires_early()
    {
        Timer("a", 1);
        _clock.Advance(s_second - FromTicks(1));
        Assert.Empty(_fired);
        _clock.Advance(FromTicks(1));
        Assert.Equal(["a@1"], _fired);
    }

    [Fact]
    public void A_timer_due_at_once_waits_for_an_advance_by_zero()
    {
        Timer("a", 0);
        Assert.Empty(_fired);
        Assert.Equal(TimeSpan.Zero, _clock.NextDue);
        _clock.Advance(TimeSpan.Zero);
        Assert.Equal(["a@0"], _fired);
        Assert.Null(_clock.NextDue);
    }

    [Fact]
    public void A_periodic_timer_fires_each_time_within_one_advance()
    {
        using ITimer timer = Timer("a", 1, 2);
        _clock.Advance(6 * s_second);
        Assert.Equal(["a@1", "a@3", "a@5"], _fired);
    }

    [Fact]
    public void A_periodic_timer_can_be_changed_and_disposed_from_its_callback()
    {
        int count = 0;
        ITimer? timer = null;
        timer = _clock.CreateTimer(
            _ =>
            {
                _fired.Add($"{_clock.Elapsed.TotalSeconds}");
                if (++count == 2)
                {
                    Assert.True(timer!.Change(5 * s_second, s_second));
                }
                else if (count == 4)
                {
                    timer!.Dispose();
                }
            },
            null,
            s_second,
            s_second);

        _clock.Advance(100 * s_second);

        Assert.Equal(["1", "2", "7", "8"], _fired);
        Assert.False(timer.Change(s_second, s_second));
        Assert.Equal(0, _clock.TimerCount);
    }

    [Fact]
    public void A_timer_set_from_a_callback_fires_in_the_same_advance_when_it_is_due()
    {
        _clock.CreateTimer(
            _ =>
            {
                Timer("inner", 1);
                Timer("late", 10);
            },
            null,
            s_second,
            Timeout.InfiniteTimeSpan);
        _clock.Advance(5 * s_second);
        Assert.Equal(["inner@2"], _fired);
    }

    [Fact]
    public void Changing_a_timer_replaces_its_time()
    {
        ITimer timer = Timer("a", 1);
        Assert.True(timer.Change(3 * s_second, Timeout.InfiniteTimeSpan));
        _clock.Advance(2 * s_second);
        Assert.Empty(_fired);
        Assert.True(timer.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan));
        _clock.Advance(5 * s_second);
        Assert.Empty(_fired);
    }

    [Fact]
    public async Task A_disposed_timer_never_fires()
    {
        Timer("a", 1).Dispose();
        await Timer("b", 1).DisposeAsync();
        _clock.Advance(2 * s_second);
        Assert.Empty(_fired);
    }

    [Fact]
    public void Advancing_from_a_callback_never_sets_the_clock_back()
    {
        _clock.CreateTimer(_ => _clock.Advance(10 * s_second), null, s_second, Timeout.InfiniteTimeSpan);
        Timer("a", 3);
        Timer("b", 12);

        _clock.Advance(5 * s_second);

        Assert.Equal(["a@3"], _fired);
        Assert.Equal(11 * s_second, _clock.Elapsed);
    }

    [Fact]
    public void Running_until_idle_stops_at_the_last_timer()
    {
        Timer("a", 1);
        Timer("b", 7);
        Assert.True(_clock.RunUntilIdle(FromHours(1)));
        Assert.Equal(7 * s_second, _clock.Elapsed);
        Assert.Equal(["a@1", "b@7"], _fired);
    }

    [Fact]
    public void Running_until_idle_stops_at_the_limit_with_a_periodic_timer()
    {
        using ITimer timer = Timer("a", 1, 2);
        Assert.False(_clock.RunUntilIdle(4 * s_second));
        Assert.Equal(4 * s_second, _clock.Elapsed);
        Assert.Equal(["a@1", "a@3"], _fired);
    }

    [Fact]
    public void AdvanceTo_a_past_time_fires_due_timers_and_keeps_the_time()
    {
        _clock.AdvanceTo(5 * s_second);
        Timer("a", 0);
        _clock.AdvanceTo(s_second);
        Assert.Equal(["a@5"], _fired);
        Assert.Equal(5 * s_second, _clock.Elapsed);
    }

    [Fact]
    public void Setting_the_wall_clock_moves_neither_timestamps_nor_timers()
    {
        Timer("a", 1);
        long timestamp = _clock.GetTimestamp();
        DateTimeOffset wall = _clock.GetUtcNow();

        _clock.JumpWallClock(FromDays(-1));

        Assert.Equal(wall.AddDays(-1), _clock.GetUtcNow());
        Assert.Equal(timestamp, _clock.GetTimestamp());
        _clock.Advance(s_second);
        Assert.Equal(["a@1"], _fired);
    }

    [Fact]
    public void An_exception_of_a_callback_leaves_Advance_and_the_clock_continues_to_work()
    {
        _clock.CreateTimer(_ => throw new FormatException(), null, s_second, Timeout.InfiniteTimeSpan);
        Timer("a", 2);
        Assert.Throws<FormatException>(() => _clock.Advance(3 * s_second));
        Assert.Equal(s_second, _clock.Elapsed);
        _clock.Advance(2 * s_second);
        Assert.Equal(["a@2"], _fired);
    }

    [Fact]
    public void Endlessly_rearmed_timers_throw_InvalidOperationException()
    {
        ITimer? timer = null;
        timer = _clock.CreateTimer(_ => timer!.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan), null, TimeSpan.Zero,
            Timeout.InfiniteTimeSpan);
        Assert.Throws<InvalidOperationException>(() => _clock.Advance(s_second));
    }

    [Fact]
    public void A_timer_callback_runs_in_the_execution_context_of_its_creator()
    {
        AsyncLocal<string> local = new() { Value = "creator" };
        string? seen = null;
        _clock.CreateTimer(_ => seen = local.Value, null, s_second, Timeout.InfiniteTimeSpan);
        local.Value = "advancer";
        _clock.Advance(s_second);
        Assert.Equal("creator", seen);
    }

    [Fact]
    public void Times_out_of_range_are_refused_as_the_system_refuses_them()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => _clock.Advance(FromTicks(-1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => _clock.RunUntilIdle(FromTicks(-1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => Timer("a", -2));
        Assert.Throws<ArgumentOutOfRangeException>(() => Timer("a", 4_294_968));
        Assert.Throws<ArgumentOutOfRangeException>(() => Timer("a", 1, -2));
        Assert.Throws<ArgumentOutOfRangeException>(() => Timer("a", 1, 4_294_968));
        Assert.Throws<ArgumentNullException>(() => _clock.CreateTimer(null!, null, s_second, s_second));
        Assert.Equal(0, _clock.TimerCount);
    }

    [Fact]
    public async Task Task_Delay_WaitAsync_and_CancellationTokenSource_run_on_the_virtual_clock()
    {
        Task delay = Task.Delay(s_second, _clock);
        Task waited = new TaskCompletionSource().Task.WaitAsync(2 * s_second, _clock);
        using CancellationTokenSource cancelled = new(3 * s_second, _clock);

        _clock.Advance(s_second);
        Assert.True(delay.IsCompletedSuccessfully);
        Assert.False(waited.IsCompleted);
        _clock.Advance(s_second);
        await Assert.ThrowsAsync<TimeoutException>(() => waited);
        Assert.False(cancelled.IsCancellationRequested);
        _clock.Advance(s_second);
        Assert.True(cancelled.IsCancellationRequested);
    }

    [Fact]
    public void Timers_may_be_set_and_disposed_from_many_threads_while_one_advances()
    {
        int fired = 0;
        const int PerThread = 2000;
        Thread[] threads = [.. Enumerable.Range(0, 4).Select(_ => new Thread(() =>
        {
            for (int i = 0; i < PerThread; i++)
            {
                ITimer timer = _clock.CreateTimer(_ => Interlocked.Increment(ref fired), null, FromMilliseconds(i % 7),
                    Timeout.InfiniteTimeSpan);
                if (i % 2 == 1)
                {
                    timer.Dispose();
                    timer.Change(TimeSpan.Zero, Timeout.InfiniteTimeSpan);
                }
            }
        }))];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        while (threads.Any(thread => thread.IsAlive))
        {
            _clock.Advance(FromMilliseconds(1));
        }

        Assert.True(_clock.RunUntilIdle(s_second));
        Assert.InRange(fired, 4 * PerThread / 2, 4 * PerThread);
        Assert.Equal(0, _clock.TimerCount);
    }

    private ITimer Timer(string name, double dueSeconds, double periodSeconds = 0) => _clock.CreateTimer(
        state => _fired.Add($"{state}@{_clock.Elapsed.TotalSeconds}"),
        name,
        FromSeconds(dueSeconds),
        FromSeconds(periodSeconds));
}
