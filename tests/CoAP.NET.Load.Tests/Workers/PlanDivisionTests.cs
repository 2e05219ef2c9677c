using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

public sealed class PlanDivisionTests
{
    [Theory]
    [InlineData(10, 3, new[] { 4, 3, 3 })]
    [InlineData(9, 3, new[] { 3, 3, 3 })]
    [InlineData(2, 3, new[] { 1, 1 })]
    [InlineData(7, 1, new[] { 7 })]
    public void Peers_are_distributed_evenly_and_each_once(int peers, int workers, int[] expected)
    {
        IReadOnlyList<LoadPlan> shares = PlanDivision.Divide(Plans.Closed with { Peers = peers, FirstPeer = 100 }, workers);
        Assert.Equal(expected, shares.Select(share => share.Peers));
        Assert.Equal(Enumerable.Range(100, peers), shares.SelectMany(share => Enumerable.Range(share.FirstPeer, share.Peers)));
    }

    [Fact]
    public void The_rate_of_an_open_loop_is_divided_by_peers()
    {
        IReadOnlyList<LoadPlan> shares = PlanDivision.Divide(Plans.Closed with { Loop = LoadPacing.Open, Rate = 1000, Peers = 5 }, 2);
        Assert.Equal([600, 400], shares.Select(share => share.Rate));
    }

    [Fact]
    public void All_observing_workers_know_the_rate_of_changes_and_the_worker_with_peer_0_makes_the_changes()
    {
        IReadOnlyList<LoadPlan> shares = PlanDivision.Divide(Plans.Closed with { Loop = LoadPacing.Observe, Rate = 7 }, 3);
        Assert.Equal([7, 7, 7], shares.Select(share => share.Rate));
        Assert.Equal(0, Assert.Single(shares, share => share.FirstPeer == 0).FirstPeer);
    }

    [Fact]
    public void All_other_plan_settings_are_the_same_for_all_workers()
    {
        LoadPlan plan = Plans.Closed with { Payload = "p", Depth = 3, Expected = "e", Poisson = true };
        Assert.All(PlanDivision.Divide(plan, 3), share => Assert.Equal(plan, share with { Peers = plan.Peers, FirstPeer = plan.FirstPeer }),
            throwIfEmpty: true);
    }
}
