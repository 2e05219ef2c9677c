using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Simulation.Simulate;

/// <summary>Whether the tables of an endpoint keep to their bounds, and whether they are empty when nothing is to be in them.</summary>
internal static class TableBounds
{
    /// <summary>What outgrew its bound; null when nothing did. The bounds are those of the plan, whatever the endpoint was told.</summary>
    public static string? Exceeded(NodePlan plan, CoapEndpoint endpoint)
    {
        CoapLimits usual = Usual;

        // The ends of what is under way have an eighth more; runs for observers are no requests, and there is one at most for what an
        // observer observes.
        int served = plan.MaxRequestsServed == 0 ? usual.Requests.MaxServed : plan.MaxRequestsServed;
        int beyond = (served / 8) + 1 + (int)endpoint.Observers.Count;
        return Check("requests served", endpoint.Served.Count, served + beyond, usual.Requests.MaxServed)
            ?? Check("observers", endpoint.Observers.Count, plan.MaxObservers, usual.Observe.MaxObservers)
            ?? Check("observations", endpoint.Observed.Count, plan.MaxObservations, usual.Observe.MaxObservations)
            ?? Check("bytes of bodies", endpoint.Bodies.Requests.Used, plan.MaxAssemblyBytes, usual.Blockwise.RequestMemory)
            ?? Check("bytes of representations", endpoint.Bodies.Responses.Used,
                plan.MaxRepresentationBytes == NodePlan.Nothing ? 1 : plan.MaxRepresentationBytes, usual.Blockwise.ResponseMemory)
            ?? Check("outstanding messages", endpoint.Pipelines.Sum(one => one.Messages.Outstanding), plan.MaxOutstandingMessages,
                usual.Messages.MaxOutstanding)
            ?? Check("waiting messages", endpoint.Pipelines.Sum(one => one.Messages.Waiting), plan.MaxOutstandingMessages,
                usual.Messages.MaxOutstanding)
            ?? Check("bytes of deduplication", endpoint.Pipelines.Sum(one => one.Messages.Memory.Bytes), plan.DeduplicationBytes,
                usual.Deduplication.Memory)
            ?? Check("newcomers", endpoint.Pipelines.Sum(one => one.Channels.Newcomers),
                plan.NewcomerBytes == 0 ? 0 : Math.Max(16 * plan.Shards, plan.NewcomerBytes / 1024), usual.Peers.NewcomerMemory / 1024);
    }

    /// <summary>What is still there; null when there is nothing.</summary>
    public static string? Left(CoapEndpoint endpoint)
    {
        List<string> left = [];
        Add(left, "requests being served", endpoint.Served.Count);
        Add(left, "observers", endpoint.Observers.Count);
        Add(left, "observations", endpoint.Observed.Count);
        Add(left, "bytes of bodies", endpoint.Bodies.Requests.Used);
        Add(left, "bytes of representations", endpoint.Bodies.Responses.Used);
        foreach (CoapShardPipeline pipeline in endpoint.Pipelines)
        {
            Add(left, "outstanding messages", pipeline.Messages.Outstanding);
            Add(left, "waiting messages", pipeline.Messages.Waiting);
            Add(left, "running exchanges", pipeline.Messages.Memory.Running);
            Add(left, "finished exchanges", pipeline.Messages.Memory.Finished);
            Add(left, "transfers", pipeline.Blockwise.Requests.Count);
            Add(left, "peers", pipeline.Channels.Count);
        }

        return left.Count == 0 ? null : string.Join(", ", left);
    }

    private static CoapLimits Usual { get; } = new();

    private static void Add(List<string> left, string what, long count)
    {
        if (count != 0)
        {
            left.Add($"{count} {what}");
        }
    }

    private static string? Check(string what, long count, long planned, long usual)
    {
        long bound = planned == 0 ? usual : planned;
        return count > bound ? $"{count} {what}, where {bound} is the bound" : null;
    }
}
