using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Writing;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>Checks whether the node has joined, and whether the store accepts leases and records.</summary>
internal sealed class ClusterHealthCheck(CoapCluster cluster) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        CoapStoreHealth health = cluster.Health;
        CoapClusterSlotMap map = cluster.Map;
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
            ["recordsOfPreviousSecret"] = cluster.Store.PreviousCount,
        };
        string? limitation = cluster.Store.Limitation;
        if (limitation is not null)
        {
            data["storeLimitation"] = limitation;
        }

        return Task.FromResult(health.Failure switch
        {
            // Whatever the failure status, even if it has joined: it never serves a device, or its numbers could be used twice.
            { Fault: CoapClusterStoreFault.OtherSecret or CoapClusterStoreFault.Lost } failure =>
                HealthCheckResult.Unhealthy(failure.Message, failure, data),

            // Whatever the failure status: another node takes its requests.
            _ when cluster.IsLeaving => HealthCheckResult.Unhealthy(
                $"Node {cluster.Self.Id} is leaving the cluster. Send it no more requests.", data: data),

            // Whatever the failure status: a rollout must not go on to replace good nodes by such ones.
            { } failure when !cluster.IsReady => HealthCheckResult.Unhealthy(
                $"This node has never joined the cluster: {failure.Message}", failure, data),
            _ when !cluster.IsReady => HealthCheckResult.Unhealthy("This node has not joined the cluster yet.", data: data),
            { } failure => new HealthCheckResult(context.Registration.FailureStatus,
                $"The store of the cluster has been unavailable since {health.Since:u}; the server continues without it: {failure.Message}",
                failure, data),
            _ when limitation is not null => HealthCheckResult.Degraded(limitation, data: data),
            _ => HealthCheckResult.Healthy($"Node {cluster.Self.Id} has {data["slots"]} of {CoapSlot.Count} slots.", data),
        });
    }
}
