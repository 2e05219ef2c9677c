using ResourceStage = CoAP.NET.Tests.Resources.ResourceStage;

namespace CoAP.NET.Tests.Execution;

/// <summary>How many may wait for a handler that is slow or costly.</summary>
public sealed class WaitBoundTests
{
    private static readonly TimeSpan s_quick = TimeSpan.FromMicroseconds(20);
    private static readonly TimeSpan s_slow = TimeSpan.FromMilliseconds(10);

    private readonly ResourceStage _stage = new();
    private readonly WaitBound _bound;

    public WaitBoundTests()
    {
        _bound = new WaitBound(_stage.Environment);
        _bound.Came(0);
    }

    [Theory]
    [InlineData(0.2)]
    [InlineData(2)]
    public void A_process_that_was_kept_off_its_processor_refuses_nobody_who_came_meanwhile(double seconds)
    {
        Leave(100_000, s_quick);
        for (int i = 0; i < 3; i++)
        {
            Leave(1, TimeSpan.FromSeconds(seconds));
            Assert.False(_bound.IsFull(1_000, continues: false));
            Leave(8, s_quick);
            Assert.False(_bound.IsFull(1_000, continues: false));
            Leave((int)(8 * seconds / s_quick.TotalSeconds), s_quick);
        }
    }

    [Fact]
    public void Pauses_that_come_again_and_again_are_the_pace()
    {
        // Those of a thread each, all at once in each second.
        for (int i = 0; i < 8; i++)
        {
            Leave(1, TimeSpan.FromSeconds(1));
            Leave(255, s_quick);
        }

        Assert.False(_bound.IsFull(100, continues: false));
        Assert.True(_bound.IsFull(140, continues: false));
    }

    [Fact]
    public void A_handler_that_becomes_slow_has_no_more_wait_than_it_serves_in_a_quarter_of_a_second()
    {
        Leave(100_000, s_quick);
        Leave(60, s_slow);

        Assert.False(_bound.IsFull(25, continues: false));
        Assert.True(_bound.IsFull(26, continues: false));
        Assert.False(_bound.IsFull(50, continues: true));
        Assert.True(_bound.IsFull(51, continues: true));
    }

    [Fact]
    public void A_handler_that_becomes_quick_again_lets_more_wait_soon()
    {
        Leave(100, s_slow);
        Leave(20_000, s_quick);
        Assert.False(_bound.IsFull(1_000, continues: false));
    }

    [Fact]
    public void A_handler_that_takes_longer_than_anybody_may_wait_has_none_wait()
    {
        Leave(16, TimeSpan.FromSeconds(1));
        Assert.True(_bound.IsFull(2, continues: false));
    }

    [Fact]
    public void The_time_since_the_last_one_left_counts_so_that_a_queue_which_none_leaves_is_full()
    {
        Leave(100_000, s_quick);
        Ask(times: 20, every: TimeSpan.FromMilliseconds(100));
        Assert.False(_bound.HasStopped(continues: false));
        Ask(times: 5, every: TimeSpan.FromMilliseconds(100));
        Assert.True(_bound.HasStopped(continues: false));
        Assert.False(_bound.HasStopped(continues: true));
        Assert.True(_bound.IsFull(20_000, continues: false));
        Ask(times: 25, every: TimeSpan.FromMilliseconds(100));
        Assert.True(_bound.HasStopped(continues: true));

        Leave(1, s_quick);
        Assert.False(_bound.HasStopped(continues: false));
    }

    [Fact]
    public void A_single_pause_of_the_process_does_not_stop_a_queue_that_is_asked_right_afterwards()
    {
        Leave(100_000, s_quick);
        Ask(times: 1, every: TimeSpan.FromSeconds(10));
        Ask(times: 1_000, every: TimeSpan.Zero);
        Assert.False(_bound.HasStopped(continues: false));
        Assert.False(_bound.IsFull(1_000, continues: false));
    }

    private void Ask(int times, TimeSpan every)
    {
        for (int i = 0; i < times; i++)
        {
            _stage.Time.Advance(every);
            _bound.Look();
        }
    }

    private void Leave(int count, TimeSpan each)
    {
        for (int i = 0; i < count; i++)
        {
            _stage.Time.Advance(each);
            _bound.Left();
        }
    }
}
