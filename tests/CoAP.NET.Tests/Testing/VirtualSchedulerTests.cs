using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Testing;

public class VirtualSchedulerTests
{
    private readonly List<object?> _ran = [];

    [Fact]
    public void Queued_work_runs_in_order_when_the_test_calls_Run()
    {
        VirtualScheduler scheduler = new();
        Assert.True(scheduler.Queue(_ran.Add, 1));
        Assert.True(scheduler.Queue(_ran.Add, 2));
        Assert.True(scheduler.Queue(_ran.Add, 3));
        Assert.Empty(_ran);
        Assert.Equal(3, scheduler.Pending);

        Assert.True(scheduler.RunOne());
        Assert.Equal([1], _ran);
        Assert.Equal(2, scheduler.RunAll());
        Assert.Equal([1, 2, 3], _ran);
        Assert.False(scheduler.RunOne());
        Assert.Equal(3, scheduler.QueuedCount);
        Assert.Equal(3, scheduler.ExecutedCount);
    }

    [Fact]
    public void RunAll_includes_work_that_is_queued_while_it_runs()
    {
        VirtualScheduler scheduler = new();
        scheduler.Queue(_ => scheduler.Queue(_ran.Add, "inner"), null);
        Assert.Equal(2, scheduler.RunAll());
        Assert.Equal(["inner"], _ran);
    }

    [Fact]
    public void Inline_work_has_run_when_Queue_returns()
    {
        VirtualScheduler scheduler = new(runsInline: true);
        Assert.True(scheduler.Queue(_ran.Add, 1));
        Assert.Equal([1], _ran);
        Assert.Equal(0, scheduler.Pending);
        Assert.Equal(1, scheduler.ExecutedCount);
    }

    [Fact]
    public void Work_on_a_clock_runs_at_the_virtual_time_of_its_Queue_call()
    {
        VirtualClock clock = new();
        VirtualScheduler scheduler = new(clock);
        clock.CreateTimer(_ => scheduler.Queue(_ => _ran.Add(clock.Elapsed), null), null, FromSeconds(1), FromSeconds(1));

        clock.Advance(FromSeconds(2.5));

        Assert.Equal([FromSeconds(1), FromSeconds(2)], _ran);
    }

    [Fact]
    public void Work_queued_outside_the_clock_runs_at_the_next_Advance_by_zero()
    {
        VirtualClock clock = new();
        VirtualScheduler scheduler = new(clock);
        scheduler.Queue(_ran.Add, 1);
        Assert.Empty(_ran);
        clock.Advance(TimeSpan.Zero);
        Assert.Equal([1], _ran);
        Assert.Equal(0, clock.TimerCount);
    }

    [Fact]
    public void Work_on_a_clock_runs_after_earlier_work_throws()
    {
        VirtualClock clock = new();
        VirtualScheduler scheduler = new(clock);
        scheduler.Queue(_ => throw new FormatException(), null);
        scheduler.Queue(_ran.Add, 2);
        Assert.Throws<FormatException>(() => clock.Advance(TimeSpan.Zero));
        clock.Advance(TimeSpan.Zero);
        Assert.Equal([2], _ran);
        Assert.Equal(1, scheduler.ExecutedCount);
    }

    [Fact]
    public void An_exhausted_scheduler_refuses_work()
    {
        VirtualScheduler scheduler = new() { IsExhausted = true };
        Assert.False(scheduler.Queue(_ran.Add, 1));
        Assert.Equal(1, scheduler.RefusedCount);
        Assert.Equal(0, scheduler.RunAll());
        scheduler.IsExhausted = false;
        Assert.True(scheduler.Queue(_ran.Add, 2));
        scheduler.RunAll();
        Assert.Equal([2], _ran);
    }

    [Fact]
    public void Endlessly_requeued_work_throws_InvalidOperationException()
    {
        VirtualScheduler scheduler = new();
        scheduler.Queue(Again, null);
        Assert.Throws<InvalidOperationException>(() => scheduler.RunAll());

        void Again(object? state) => scheduler.Queue(Again, null);
    }
}
