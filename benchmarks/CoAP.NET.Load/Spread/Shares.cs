namespace CoAP.NET.Load;

/// <summary>Deals one plan out to several workers, so that together they do what one would.</summary>
internal static class Shares
{
    // Apart, so that no two workers draw the same chances and burst together.
    private const int SeedStep = 1_000_003;

    /// <summary>One plan for each worker. Fewer than workers when there are fewer peers: a worker without a peer has nothing to do.</summary>
    /// <param name="plan">The whole.</param>
    /// <param name="workers">At least 1.</param>
    public static IReadOnlyList<LoadPlan> Deal(LoadPlan plan, int workers)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(workers, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(plan.Peers, 1, nameof(plan));
        int count = Math.Min(workers, plan.Peers);
        List<LoadPlan> shares = [];
        int next = plan.FirstPeer;
        for (int i = 0; i < count; i++)
        {
            int peers = (plan.Peers / count) + (i < plan.Peers % count ? 1 : 0);
            shares.Add(plan with
            {
                FirstPeer = next,
                Peers = peers,
                Rate = RateOf(plan, peers, first: i == 0),
                Seed = unchecked(plan.Seed + (i * SeedStep)),
            });
            next += peers;
        }

        return shares;
    }

    // By peers, so that each peer has the rate it would have with one worker. Changes of what is observed are not split: one worker makes them, and so they stay in one order.
    private static double RateOf(LoadPlan plan, int peers, bool first) => plan.Loop switch
    {
        LoadLoop.Open => plan.Rate * peers / plan.Peers,
        LoadLoop.Observe => first ? plan.Rate : 0,
        _ => plan.Rate,
    };
}
