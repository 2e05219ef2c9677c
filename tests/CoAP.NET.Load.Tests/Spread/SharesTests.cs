namespace CoAP.NET.Load.Tests;

public sealed class SharesTests
{
    [Theory]
    [InlineData(10, 3, new[] { 4, 3, 3 })]
    [InlineData(9, 3, new[] { 3, 3, 3 })]
    [InlineData(2, 3, new[] { 1, 1 })]
    [InlineData(7, 1, new[] { 7 })]
    public void Peers_are_dealt_out_evenly_and_each_once(int peers, int workers, int[] expected)
    {
        IReadOnlyList<LoadPlan> shares = Shares.Deal(Plans.Closed with { Peers = peers, FirstPeer = 100 }, workers);
        Assert.Equal(expected, shares.Select(share => share.Peers));
        Assert.Equal(Enumerable.Range(100, peers), shares.SelectMany(share => Enumerable.Range(share.FirstPeer, share.Peers)));
    }

    [Fact]
    public void The_rate_of_an_open_loop_is_split_by_peers()
    {
        IReadOnlyList<LoadPlan> shares = Shares.Deal(Plans.Closed with { Loop = LoadLoop.Open, Rate = 1000, Peers = 5 }, 2);
        Assert.Equal([600, 400], shares.Select(share => share.Rate));
    }

    [Fact]
    public void Changes_of_what_is_observed_are_made_by_one_worker_only()
    {
        IReadOnlyList<LoadPlan> shares = Shares.Deal(Plans.Closed with { Loop = LoadLoop.Observe, Rate = 7 }, 3);
        Assert.Equal([7, 0, 0], shares.Select(share => share.Rate));
    }

    [Fact]
    public void No_two_workers_have_the_same_chances_and_one_alone_has_those_of_the_plan()
    {
        Assert.Equal(50, Shares.Deal(Plans.Closed with { Seed = int.MaxValue, Peers = 50 }, 50).Select(share => share.Seed).Distinct().Count());
        Assert.Equal(5, Shares.Deal(Plans.Closed with { Seed = 5 }, 1)[0].Seed);
    }

    [Fact]
    public void Everything_else_is_the_same_for_all()
    {
        LoadPlan plan = Plans.Closed with { Payload = "p", Depth = 3, Expected = "e", Poisson = true };
        Assert.All(Shares.Deal(plan, 3), share => Assert.Equal(plan, share with { Peers = plan.Peers, FirstPeer = plan.FirstPeer, Seed = plan.Seed }));
    }
}
