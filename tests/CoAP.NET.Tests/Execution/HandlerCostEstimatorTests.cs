using CoAP.NET.Execution;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Execution;

/// <summary>Handlers that were taken off the threads that receive, and come back.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class HandlerCostEstimatorTests
{
    private static readonly long s_block = FromSeconds(1).Ticks;
    private static readonly long s_quick = FromMicroseconds(10).Ticks;

    private readonly VirtualClock _clock = new();
    private readonly HandlerCostEstimator _watch;

    public HandlerCostEstimatorTests() => _watch = new HandlerCostEstimator(_clock);

    [Fact]
    public void A_handler_whose_first_call_blocked_returns_to_the_receiving_thread_after_enough_quick_calls()
    {
        Assert.True(Block());
        Assert.True(_watch.IsSlow);

        Aside(UserCodePolicy.CallsToComeBack - 1, s_quick);
        Assert.True(_watch.IsSlow);
        Aside(1, s_block);

        Assert.False(_watch.IsSlow);
        Assert.True(_watch.IsInline);
    }

    [Fact]
    public void A_handler_that_blocks_sometimes_stays_on_its_own_threads_for_SlowFor()
    {
        Block();
        for (int i = 0; i < 10; i++)
        {
            Aside(UserCodePolicy.CallsToComeBack - 2, s_quick);
            Aside(2, s_block);
        }

        Assert.True(_watch.IsSlow);
        _clock.Advance(UserCodePolicy.SlowFor);
        Assert.False(_watch.IsSlow);
    }

    [Fact]
    public void A_handler_that_alternates_between_slow_and_quick_is_reported_once_per_SlowFor()
    {
        Assert.True(Block());
        Aside(UserCodePolicy.CallsToComeBack, s_quick);
        Assert.False(Block());
        Assert.True(_watch.IsSlow);
        Aside(UserCodePolicy.CallsToComeBack, s_quick);

        _clock.Advance(UserCodePolicy.SlowFor);
        Assert.True(Block());
    }

    [Theory]
    [InlineData(10, false)]
    [InlineData(500, true)]
    public void A_handler_moved_off_a_crowded_loop_returns_when_its_calls_are_cheap_even_while_requests_wait(
        int microseconds, bool stays)
    {
        IUserCodeTracker? before = UserCodeScope.Role;
        UserCodeScope.Role = new CrowdedRole();
        try
        {
            for (int i = 0; i < UserCodePolicy.FirstCalls + UserCodePolicy.CallsToBeCostly; i++)
            {
                _watch.Observe(0, FromMicroseconds(100).Ticks, GC.GetTotalPauseDuration());
            }
        }
        finally
        {
            UserCodeScope.Role = before;
        }

        Assert.True(_watch.IsCostly(isWaitedFor: true));
        Aside(UserCodePolicy.CallsToComeBack, FromMicroseconds(microseconds).Ticks);

        Assert.Equal(stays, _watch.IsCostly(isWaitedFor: true));
    }

    // Whether somebody is to be told that it is slow.
    private bool Block()
    {
        bool isTold = false;
        for (int i = 0; i < UserCodePolicy.FirstCalls + UserCodePolicy.BlocksToBeSlow; i++)
        {
            isTold |= _watch.ObserveTaken(0, s_block, GC.GetTotalPauseDuration());
        }

        return isTold;
    }

    private void Aside(int calls, long time)
    {
        for (int i = 0; i < calls; i++)
        {
            _watch.ObserveAside(time);
        }
    }

    private sealed class CrowdedRole : IUserCodeTracker
    {
        public bool IsCrowded => true;

        public void EnterUserCode()
        {
        }

        public bool ExitUserCode() => false;
    }
}
