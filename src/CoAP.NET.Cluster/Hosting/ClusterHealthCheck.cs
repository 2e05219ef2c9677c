using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Cluster;

/// <summary>Whether the store takes leases and records, whether the other nodes are reached, and what waits.</summary>
internal sealed class ClusterHealthCheck(CoapCluster cluster) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        CoapStoreHealth health = cluster.Health;
        CoapClusterMap map = cluster.Map;
        CoapRecordWriterCounters counters = cluster.Writer.GetCounters();
        IReadOnlyList<CoapNodeId> missing = cluster.Links.FindMissing(map);
        Dictionary<string, object> data = new()
        {
            ["node"] = cluster.Self.Id.ToString(),
            ["nodes"] = map.Nodes.Count,
            ["linksMissing"] = missing.Count,
            ["slots"] = map.SlotsOf(cluster.Self.Id).Count,
            ["slotsMoving"] = cluster.GetNodeCounters().Moving,
            ["leaving"] = cluster.IsLeaving,
            ["recordsWaiting"] = counters.Waiting,
            ["recordsDropped"] = counters.Dropped,
            ["recordsUnreadable"] = cluster.Store.UnreadableCount,
        };
        return Task.FromResult((health.Failure, missing) switch
        {
            ({ } failure, _) => new HealthCheckResult(context.Registration.FailureStatus,
                $"The store of the cluster is away since {health.Since:u}, the server goes on without it: {failure.Message}",
                failure, data),

            // Never worse than that, whatever the status of a failure is: the others must not be taken out of service as one node is gone.
            (_, { Count: > 0 }) => HealthCheckResult.Degraded(
                $"There is no link with node {string.Join(", ", missing)}, so what arrives here for its devices is lost. Log event 2512 "
                + "says why; a node that has died is forgotten when its lease ends.", data: data),
            _ => HealthCheckResult.Healthy($"Node {cluster.Self.Id} has {data["slots"]} of {CoapSlot.Count} slots.", data),
        });
    }
}
