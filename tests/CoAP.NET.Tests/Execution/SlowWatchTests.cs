using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Execution;

/// <summary>Handlers that were taken off the threads that receive, and come back.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SlowWatchTests
{
    private static readonly long s_block = TimeSpan.FromSeconds(1).Ticks;
    private static readonly long s_quick = TimeSpan.FromMicroseconds(10).Ticks;

    private readonly VirtualClock _clock = new();
    private readonly SlowWatch _watch;

    public SlowWatchTests() => _watch = new SlowWatch(_clock);

    [Fact]
    public void A_handler_that_was_held_up_when_it_began_comes_back_as_soon_as_it_proves_quick()
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
    public void A_handler_that_blocks_now_and_then_stays_on_threads_of_its_own_for_its_time()
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
    public void One_that_comes_and_goes_is_told_of_once_in_a_while()
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
    public void A_handler_that_a_crowded_loop_has_no_time_for_comes_back_when_its_calls_are_cheap_though_requests_wait(
        int microseconds, bool stays)
    {
        IReceiveRole? before = UserCode.Role;
        UserCode.Role = new CrowdedRole();
        try
        {
            for (int i = 0; i < UserCodePolicy.FirstCalls + UserCodePolicy.CallsToBeCostly; i++)
            {
                _watch.Observe(0, TimeSpan.FromMicroseconds(100).Ticks, GC.GetTotalPauseDuration());
            }
        }
        finally
        {
            UserCode.Role = before;
        }

        Assert.True(_watch.IsCostly(isWaitedFor: true));
        Aside(UserCodePolicy.CallsToComeBack, TimeSpan.FromMicroseconds(microseconds).Ticks);

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

    private sealed class CrowdedRole : IReceiveRole
    {
        public bool IsCrowded => true;

        public void EnterUserCode()
        {
        }

        public bool ExitUserCode() => false;
    }
}
