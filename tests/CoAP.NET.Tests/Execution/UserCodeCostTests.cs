using CoAP.NET.Execution;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Execution;

/// <summary>User code that leaves the threads that receive, and comes back.</summary>
public sealed class UserCodeCostTests
{
    private static readonly TimeSpan s_block = FromSeconds(1);
    private static readonly TimeSpan s_quick = FromMicroseconds(10);
    private static readonly TimeSpan s_costly = FromMicroseconds(100);

    private readonly VirtualClock _clock = new();
    private readonly UserCodeCost _cost;

    public UserCodeCostTests() => _cost = new UserCodeCost(_clock);

    [Fact]
    public void A_handler_whose_first_calls_blocked_returns_to_the_receiving_thread_after_enough_quick_calls()
    {
        Assert.True(Block());
        Assert.True(_cost.IsAside);

        Aside(UserCodePolicy.CallsToJudge - 1, s_quick);
        Assert.True(_cost.IsAside);
        Aside(1, s_block);

        Assert.False(_cost.IsAside);
    }

    [Fact]
    public void A_handler_that_blocks_sometimes_stays_on_its_own_threads_for_AsideFor()
    {
        Block();
        for (int i = 0; i < 10; i++)
        {
            Aside(UserCodePolicy.CallsToJudge - 2, s_quick);
            Aside(2, s_block);
        }

        Assert.True(_cost.IsAside);
        _clock.Advance(UserCodePolicy.AsideFor);
        Assert.False(_cost.IsAside);
    }

    [Fact]
    public void A_handler_that_alternates_between_slow_and_quick_is_reported_again_only_after_it_was_quick_for_AsideFor()
    {
        Assert.True(Block());
        Aside(UserCodePolicy.CallsToJudge, s_quick);
        Assert.False(Block());
        _clock.Advance(UserCodePolicy.AsideFor);
        Assert.False(_cost.IsAside);
        Assert.False(Block());
        Assert.True(_cost.IsAside);

        _clock.Advance(2 * UserCodePolicy.AsideFor + TimeSpan.FromTicks(1));
        Assert.False(_cost.IsAside);
        Assert.True(Block());
    }

    [Fact]
    public void Long_calls_that_are_rarer_than_one_in_CallsToJudge_do_not_move_a_handler()
    {
        Calls(UserCodePolicy.CallsOfChance, s_quick);
        for (int i = 0; i < 100; i++)
        {
            Calls(1, s_block);
            for (int quick = 0; quick < 2 * UserCodePolicy.CallsToJudge; quick++)
            {
                _cost.ObserveQuick();
            }
        }

        Assert.False(_cost.IsAside);
    }

    [Fact]
    public void The_first_calls_are_not_judged()
    {
        Calls(UserCodePolicy.CallsOfChance, s_block);
        Calls(UserCodePolicy.CallsOfChance - 1, s_block);
        Assert.False(_cost.IsAside);
        Calls(1, s_block);
        Assert.True(_cost.IsAside);
    }

    [Theory]
    [InlineData(10, false)]
    [InlineData(500, true)]
    public void A_costly_handler_whose_thread_others_wait_for_returns_when_most_of_its_calls_are_cheap(int microseconds, bool stays)
    {
        Calls(2 * UserCodePolicy.CallsOfChance, s_costly, isWaitedFor: true);
        Assert.True(_cost.IsAside);
        Aside(UserCodePolicy.CallsToJudge, FromMicroseconds(microseconds));

        Assert.Equal(stays, _cost.IsAside);
    }

    [Fact]
    public void Costly_calls_move_a_handler_only_when_others_wait_for_its_thread_and_no_cheap_call_is_between_them()
    {
        Calls(1000, s_costly);
        Assert.False(_cost.IsAside);
        for (int i = 0; i < 100; i++)
        {
            Calls(UserCodePolicy.CallsOfChance - 1, s_costly, isWaitedFor: true);
            Calls(1, s_quick, isWaitedFor: true);
        }

        Assert.False(_cost.IsAside);
        Calls(UserCodePolicy.CallsOfChance, s_costly, isWaitedFor: true);
        Assert.True(_cost.IsAside);
    }

    // Whether the operator is to be told that it is slow.
    private bool Block()
    {
        bool isTold = false;
        for (int i = 0; i < 2 * UserCodePolicy.CallsOfChance; i++)
        {
            isTold |= _cost.Observe(s_block, isWaitedFor: false);
        }

        return isTold;
    }

    private void Calls(int calls, TimeSpan duration, bool isWaitedFor = false)
    {
        for (int i = 0; i < calls; i++)
        {
            _cost.Observe(duration, isWaitedFor);
        }
    }

    private void Aside(int calls, TimeSpan duration)
    {
        for (int i = 0; i < calls; i++)
        {
            _cost.ObserveAside(duration);
        }
    }
}
