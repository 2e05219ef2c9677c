namespace CoAP.NET.Cli.Bench;

/// <summary>Deals one plan out to several workers, so that together they do what one would.</summary>
/// <remarks>
/// The rate of changes of an observing run is not split and stays in all plans: it says to each worker that bodies are numbers that grow.
/// Only the worker of peer 0 makes the changes, so that they stay in one order.
/// </remarks>
internal static class Shares
{
    /// <summary>
    /// One plan for each worker. Fewer than workers when there are fewer peers: a worker without a peer has nothing to do.
    /// </summary>
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
                Rate = plan.Loop == LoadLoop.Open ? RateOf(plan, peers) : plan.Rate,
            });
            next += peers;
        }

        return shares;
    }

    // By peers, so that each peer has the rate it would have with one worker.
    private static double RateOf(LoadPlan plan, int peers) => plan.Rate * peers / plan.Peers;
}
