namespace CoAP.NET.Simulation.Simulate;

/// <summary>How long a request may take that has no limit of its own.</summary>
internal static class LongestTimes
{
    // It waits for its turn behind others, each of which may take minutes.
    private static readonly TimeSpan s_usual = TimeSpan.FromHours(3);

    /// <summary>How long a node that forwards waits for the node that it asks.</summary>
    public static TimeSpan Forwarding { get; } = TimeSpan.FromSeconds(80);

    /// <summary>From its beginning to its end.</summary>
    public static TimeSpan Of(Scenario scenario, Step step)
    {
        TimeSpan longest = s_usual;
        foreach (Step other in scenario.Steps.Where(other => other.Kind == StepKind.Request))
        {
            if (scenario.ServersOf(other).Intersect(scenario.ServersOf(step)).Any())
            {
                longest += Repeated(scenario, other);
            }
        }

        return longest;
    }

    // Where nothing is kept (CoapLimits.Blockwise.ResponseMemory is 0), the answer to a safe request is made again for each later block of
    // it; who waits behind such a request waits for all of that.
    private static TimeSpan Repeated(Scenario scenario, Step step)
    {
        NodePlan client = scenario.Nodes[step.Node];
        NodePlan server = scenario.Nodes[step.Peer];
        if (step.Method is not (CoapMethod.Get or CoapMethod.Fetch) || server.MaxRepresentationBytes != NodePlan.Nothing)
        {
            return TimeSpan.Zero;
        }

        TimeSpan handler = step.Route == SimulatedRoute.Forward ? Forwarding : TimeSpan.FromMilliseconds(step.HandlerTime);
        TimeSpan longest = handler * (step.Download / Math.Min(client.BlockSize, server.BlockSize));
        foreach (int limit in (int[])[step.Timeout, step.CancelAfter])
        {
            if (limit > 0 && TimeSpan.FromMilliseconds(limit) is var end && end < longest)
            {
                longest = end;
            }
        }

        return longest;
    }
}
