using CoAP.NET.Cluster.Maps;
using Microsoft.Extensions.DependencyInjection;
using Orleans.GrainDirectory;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Slots;

/// <summary>
/// Finds the activations of slots by the map of the store, which is the only truth about owners: no second directory can contradict it or
/// lose a part of itself with a dead silo. An activation registers before it takes its slot; if the store refuses it, it ends.
/// </summary>
/// <param name="services">The services of the silo. The silo creates directories before the parts that this one needs.</param>
internal sealed class SlotDirectory(IServiceProvider services) : IGrainDirectory
{
    public const string Name = "coap.slots";

    /// <summary>Returns the slot of a grain; null if it is none.</summary>
    public static CoapSlot? SlotOf(GrainId grain) =>
        grain.TryGetIntegerKey(out long key, out _) && key is >= 0 and < CoapSlot.Count ? new CoapSlot((byte)key) : null;

    /// <inheritdoc/>
    public Task<GrainAddress?> Lookup(GrainId grainId) => Task.FromResult(Find(grainId));

    /// <inheritdoc/>
    public Task<GrainAddress?> Register(GrainAddress address) => Register(address, null);

    /// <inheritdoc/>
    /// <remarks>A slot with a previous address was released there, and moves.</remarks>
    public Task<GrainAddress?> Register(GrainAddress address, GrainAddress? previousAddress) => Task.FromResult<GrainAddress?>(
        previousAddress is null && Find(address.GrainId) is { } owner && !owner.SiloAddress!.Equals(address.SiloAddress)
            ? owner
            : address);

    /// <inheritdoc/>
    public Task Unregister(GrainAddress address) => Task.CompletedTask;

    /// <inheritdoc/>
    public Task UnregisterSilos(List<SiloAddress> siloAddresses) => Task.CompletedTask;

    private SiloSlotTable Host => field ??= services.GetRequiredService<SiloSlotTable>();

    private GrainAddress? Find(GrainId grain) => SlotOf(grain) is { } slot && Host.OwnerOf(slot) is { } silo
        ? new GrainAddress { GrainId = grain, SiloAddress = silo }
        : null;
}
