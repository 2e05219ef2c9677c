using CoAP.NET.Execution;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Reliability.Tests.Overload;

/// <summary>
/// Handlers that take so much of a receiving thread that it cannot keep up run elsewhere, and wait no longer than their answers are of use.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class CostlyHandlerTests
{
    private static readonly TimeSpan s_cost = 2 * UserCodePolicy.CostlyFrom;

    private readonly VirtualClock _clock = new();

    [Fact]
    public void Costly_calls_move_off_a_crowded_loop_until_no_request_has_waited_for_a_second()
    {
        HandlerCostEstimator watch = new(_clock);
        Observe(watch, UserCodePolicy.FirstCalls + UserCodePolicy.CallsToBeCostly - 1, isCrowded: true, s_cost);
        Assert.True(watch.IsInline);
        Observe(watch, 1, isCrowded: true, s_cost);
        Assert.False(watch.IsInline);
        Assert.False(watch.IsSlow);
        Assert.True(watch.IsCostly(isWaitedFor: false));

        _clock.Advance(UserCodePolicy.CostlyFor);
        Assert.True(watch.IsCostly(isWaitedFor: true));
        _clock.Advance(UserCodePolicy.CostlyFor - TimeSpan.FromTicks(1));
        Assert.True(watch.IsCostly(isWaitedFor: false));
        _clock.Advance(TimeSpan.FromTicks(1));
        Assert.False(watch.IsCostly(isWaitedFor: false));
        Assert.True(watch.IsInline);
    }

    [Fact]
    public void Handlers_stay_on_the_receiving_thread_unless_they_are_costly_on_a_crowded_loop()
    {
        HandlerCostEstimator calm = new(_clock);
        Observe(calm, 1000, isCrowded: false, s_cost);
        Assert.True(calm.IsInline);

        HandlerCostEstimator cheap = new(_clock);
        Observe(cheap, 1000, isCrowded: true, UserCodePolicy.CostlyFrom - TimeSpan.FromTicks(1));
        Assert.True(cheap.IsInline);

        // Some of them were kept off the processor; the handler is not at fault.
        HandlerCostEstimator mixed = new(_clock);
        for (int i = 0; i < 100; i++)
        {
            Observe(mixed, UserCodePolicy.CallsToBeCostly - 1, isCrowded: true, s_cost);
            Observe(mixed, 1, isCrowded: true, TimeSpan.Zero);
        }

        Assert.True(mixed.IsInline);
    }

    [Fact]
    public void A_loop_is_crowded_when_it_spends_almost_all_its_time_in_user_code()
    {
        BlockingScheduler scheduler = new();
        WatchedLoop loop = new(scheduler);
        Assert.True(loop.TryStart());
        scheduler.RunFirst();
        Assert.Equal(["calm", "crowded", "crowded", "calm"], loop.Seen);
    }

    private void Observe(HandlerCostEstimator watch, int calls, bool isCrowded, TimeSpan cost)
    {
        IUserCodeTracker? before = UserCodeScope.Role;
        UserCodeScope.Role = new Role(isCrowded);
        try
        {
            for (int i = 0; i < calls; i++)
            {
                watch.Observe(0, cost.Ticks, GC.GetTotalPauseDuration());
            }
        }
        finally
        {
            UserCodeScope.Role = before;
        }
    }

    private sealed class Role(bool isCrowded) : IUserCodeTracker
    {
        public bool IsCrowded => isCrowded;

        public void EnterUserCode()
        {
        }

        public bool ExitUserCode() => true;
    }

    /// <summary>Threads that do nothing until they are told to.</summary>
    private sealed class BlockingScheduler : CoapThreadScheduler
    {
        private readonly List<(Action<object?> Work, object? State)> _held = [];

        public override bool Queue(Action<object?> work, object? state)
        {
            _held.Add((work, state));
            return true;
        }

        public void RunFirst() => _held[0].Work(_held[0].State);
    }

    /// <summary>A loop that is looked at while it is in user code, and while it is not.</summary>
    private sealed class WatchedLoop(CoapThreadScheduler scheduler) : ReceiveLoop(scheduler)
    {
        public List<string> Seen { get; } = [];

        protected override LoopCountersAndLogger? ActiveReports => null;

        protected override TimeSpan HandOverAfter => Timeout.InfiniteTimeSpan;

        protected override void Run(ReceiveLoopOwnership role)
        {
            const int Looks = 32;
            Look(Looks);
            role.EnterUserCode();
            Look(Looks);
            role.ExitUserCode();

            // A pause is not the end of it.
            Look(Looks / 4);
            Look(Looks);
            MarkEnded();
        }

        private void Look(int times)
        {
            for (int i = 0; i < times; i++)
            {
                Watch(i);
            }

            Seen.Add(IsCrowded ? "crowded" : "calm");
        }
    }
}
