namespace CoAP.NET.Simulation.Simulate;

/// <summary>Computes the longest time of a request without a timeout.</summary>
internal static class LongestTimes
{
    // A request waits behind others, each of which may take minutes.
    private static readonly TimeSpan s_usual = TimeSpan.FromHours(3);

    /// <summary>The timeout of a forwarding node for its upstream.</summary>
    public static TimeSpan Forwarding { get; } = TimeSpan.FromSeconds(80);

    /// <summary>Returns the longest time of a step.</summary>
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

    // If responses are not stored (CoapLimits.Blockwise.ResponseMemory is 0), the handler of a safe request runs for each block. A request
    // queued behind it waits for all of its blocks.
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
