using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Cluster;

/// <summary>Checks whether the store accepts leases and records, whether the other nodes are reachable, and the queues.</summary>
internal sealed class ClusterHealthCheck(CoapCluster cluster) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        CoapStoreHealth health = cluster.Health;
        CoapClusterMap map = cluster.Map;
        CoapRecordWriterCounters counters = cluster.Writer.GetCounters();
        IReadOnlyList<CoapNodeId> missing = cluster.Peers.FindMissing(map);
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
            // Whatever the failure status: a rollout must not go on to replace good nodes by such ones.
            ({ } failure, _) when !cluster.IsReady => HealthCheckResult.Unhealthy(
                $"This node has never joined the cluster: {failure.Message}", failure, data),
            (_, { Count: > 0 }) when !cluster.IsReady => HealthCheckResult.Unhealthy(
                $"This node has no link with node {string.Join(", ", missing)} yet, and gets no slots without. Do all nodes have the same "
                + "secret, and do their networks let links through? Log event 2512 has the reason; a dead node is forgotten when its lease "
                + "ends.", data: data),
            (_, _) when !cluster.IsReady => HealthCheckResult.Unhealthy("This node has not joined the cluster yet.", data: data),
            ({ } failure, _) => new HealthCheckResult(context.Registration.FailureStatus,
                $"The store of the cluster is unavailable since {health.Since:u}; the server continues without it: {failure.Message}",
                failure, data),

            // Never worse than this, regardless of the failure status: one missing node must not take the others out of service.
            (_, { Count: > 0 }) => HealthCheckResult.Degraded(
                $"There is no link with node {string.Join(", ", missing)}. Messages that arrive here for its devices are lost. Log event "
                + "2512 has the reason; a dead node is forgotten when its lease ends.", data: data),
            _ => HealthCheckResult.Healthy($"Node {cluster.Self.Id} has {data["slots"]} of {CoapSlot.Count} slots.", data),
        });
    }
}
