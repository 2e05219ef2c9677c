using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Cluster;

/// <summary>Whether the store takes leases and records, and what waits.</summary>
internal sealed class ClusterHealthCheck(CoapCluster cluster) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        CoapStoreHealth health = cluster.Health;
        CoapClusterMap map = cluster.Map;
        CoapRecordWriterCounters counters = cluster.Writer.GetCounters();
        Dictionary<string, object> data = new()
        {
            ["node"] = cluster.Self.Id.ToString(),
            ["nodes"] = map.Nodes.Count,
            ["slots"] = map.SlotsOf(cluster.Self.Id).Count,
            ["slotsMoving"] = cluster.GetNodeCounters().Moving,
            ["leaving"] = cluster.IsLeaving,
            ["recordsWaiting"] = counters.Waiting,
            ["recordsDropped"] = counters.Dropped,
            ["recordsUnreadable"] = cluster.Store.UnreadableCount,
        };
        return Task.FromResult(health.Failure is { } failure
            ? new HealthCheckResult(context.Registration.FailureStatus,
                $"The store of the cluster is away since {health.Since:u}, the server goes on without it: {failure.Message}", failure, data)
            : HealthCheckResult.Healthy($"Node {cluster.Self.Id} has {data["slots"]} of {CoapSlot.Count} slots.", data));
    }
}
