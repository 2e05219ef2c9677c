using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Orleans.Slots;

/// <summary>Balances the slots of a silo (<see cref="SlotRebalancer"/>), whose activations are grains.</summary>
internal sealed class SlotBalancer(IServiceProvider services, ILogger logger) : BackgroundService, ISlotActivations
{
    private SiloSlotTable Host => field ??= services.GetRequiredService<SiloSlotTable>();

    /// <inheritdoc/>
    public bool IsActive(CoapSlot slot) => Host.Find(slot) is not null;

    /// <inheritdoc/>
    public bool CanMove(CoapSlot slot) => Host.Find(slot) is { IsReady: true };

    /// <inheritdoc/>
    public TimeSpan SinceReleaseOf(CoapSlot slot) => Host.SinceReleaseOf(slot);

    /// <inheritdoc/>
    public Task ActivateAsync(CoapSlot slot) =>
        services.GetRequiredService<IGrainFactory>().GetGrain<ISlotGrain>(slot.Number).ActivateAsync();

    /// <inheritdoc/>
    public void End(CoapSlot slot) => Host.Find(slot)?.End();

    /// <inheritdoc/>
    public bool CanReach(CoapClusterSlotMap map, CoapNodeId node) => Host.SiloOf(map, node) is not null;

    /// <inheritdoc/>
    public void Move(CoapSlot slot, CoapClusterSlotMap map, CoapNodeId to) => Host.Find(slot)?.MoveTo(Host.SiloOf(map, to)!);

    /// <inheritdoc/>
    protected override Task ExecuteAsync(CancellationToken stoppingToken) =>
        new SlotRebalancer(Host.Cluster, this, services.GetService<TimeProvider>() ?? TimeProvider.System, logger).RunAsync(stoppingToken);
}
