using CoAP.NET.Hosting.Parts;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.Cluster.Hosting;

/// <summary>
/// Joins the cluster before the servers of the application start, takes its share of slots when they run, leaves before they stop, and ends
/// after they have stopped.
/// </summary>
internal sealed class ClusterHostedService(CoapCluster cluster, ClusterSection section, ILoggerFactory? loggers = null)
    : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken)
    {
        HostedEndpointDefaults.Warn(loggers ?? NullLoggerFactory.Instance, section.Findings, section.UnsafeKeyFiles);
        cluster.StandBy();
        return cluster.StartAsync(cancellationToken);
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // Not earlier, because no server could serve the devices that other nodes hand over.
    public Task StartedAsync(CancellationToken cancellationToken)
    {
        cluster.Activate();
        return Task.CompletedTask;
    }

    // While the servers still run: their sessions move to other nodes.
    public Task StoppingAsync(CancellationToken cancellationToken) => WaitAsync(cluster.LeaveAsync(cancellationToken), cancellationToken);

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => WaitAsync(cluster.DisposeAsync().AsTask(), cancellationToken);

    // The host stops the rest of the application when its time is over, and reports no failure: the cluster ends on its own then.
    private static async Task WaitAsync(Task end, CancellationToken cancellationToken)
    {
        try
        {
            await end.WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // Others take the slots as after a crash.
        }
    }
}
