using Microsoft.Extensions.Hosting;

namespace CoAP.NET.Cluster;

/// <summary>Joins before the servers of the application start, leaves before they stop, and ends after they have stopped.</summary>
internal sealed class ClusterHostedService(CoapCluster cluster) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) => cluster.StartAsync(cancellationToken);

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // While servers still run: their sessions go to other nodes.
    public Task StoppingAsync(CancellationToken cancellationToken) => cluster.LeaveAsync(cancellationToken);

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => cluster.DisposeAsync().AsTask().WaitAsync(cancellationToken);
}
