using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Workers;

/// <summary>Divides a plan into one plan per worker. Together the workers execute the whole plan.</summary>
/// <remarks>
/// The change rate of an observing run is not divided and stays in all plans: it tells each worker that bodies are growing numbers. Only
/// the worker of peer 0 makes the changes, so that they have one order.
/// </remarks>
internal static class PlanDivision
{
    /// <summary>Returns one plan per worker; fewer if there are fewer peers, because a worker needs a peer.</summary>
    /// <param name="plan">The whole plan.</param>
    /// <param name="workers">At least 1.</param>
    public static IReadOnlyList<LoadPlan> Divide(LoadPlan plan, int workers)
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
                Rate = plan.Loop == LoadPacing.Open ? RateOf(plan, peers) : plan.Rate,
            });
            next += peers;
        }

        return shares;
    }

    // By peers, so that each peer has the same rate as with one worker.
    private static double RateOf(LoadPlan plan, int peers) => plan.Rate * peers / plan.Peers;
}
