using CoAP.NET.Cluster.Maps;
using Orleans.GrainDirectory;
using Orleans.Placement;
using Orleans.Runtime;
using Orleans.Runtime.Placement;

namespace CoAP.NET.Orleans.Slots;

/// <summary>
/// A slot: while it is active, its silo serves the sessions of the slot, under a fence of the store. It takes the slot when it is activated
/// and releases it when it is deactivated. The next owner gets the fence of the release, which lets it take the slot from a live node.
/// </summary>
[GrainType("coap.slot")]
[GrainDirectory(SlotDirectory.Name)]
[SlotPlacement]
[KeepAlive]
[Immovable]
internal sealed class SlotGrain(SiloSlotTable host) : Grain, ISlotGrain, IGrainMigrationParticipant
{
    private const string FenceKey = "fence";

    // The silo that it came from looks every 5 ms whether the activation is complete. Moved back before, both activations would wait for
    // the end of the other one, until a call times out after 30 s.
    private static readonly TimeSpan s_settles = TimeSpan.FromMilliseconds(250);

    private CoapFencingToken _released;
    private volatile bool _isReady;

    /// <summary>Whether it may be moved: its activation is complete, and the silo that it came from knows that.</summary>
    public bool IsReady => _isReady;

    /// <summary>Completes when the activation has ended.</summary>
    public Task Ended => GrainContext.Deactivated;

    private CoapSlot Slot => new(checked((byte)this.GetPrimaryKeyLong()));

    /// <inheritdoc/>
    public override async Task OnActivateAsync(CancellationToken cancellationToken)
    {
        bool isTaken = await host.TryTakeAsync(this, Slot, _released, cancellationToken).ConfigureAwait(true);
        _released = default;
        if (!isTaken)
        {
            // Another silo was faster.
            End();
            return;
        }

        // It runs when the activation is complete.
        this.RegisterGrainTimer(
            static (grain, _) =>
            {
                grain._isReady = true;
                return Task.CompletedTask;
            },
            this, new GrainTimerCreationOptions(s_settles, Timeout.InfiniteTimeSpan) { Interleave = true });
    }

    /// <inheritdoc/>
    public override async Task OnDeactivateAsync(DeactivationReason reason, CancellationToken cancellationToken) =>
        _released = await host.ReleaseAsync(this, Slot, cancellationToken).ConfigureAwait(true);

    /// <inheritdoc/>
    public Task ActivateAsync() => Task.CompletedTask;

    /// <inheritdoc/>
    public void OnDehydrate(IDehydrationContext dehydrationContext) => dehydrationContext.TryAddValue(FenceKey, _released.Value);

    /// <inheritdoc/>
    public void OnRehydrate(IRehydrationContext rehydrationContext) =>
        _released = rehydrationContext.TryGetValue(FenceKey, out long fence) ? new CoapFencingToken(fence) : default;

    public void MoveTo(SiloAddress silo) => GrainContext.Migrate(new() { [IPlacementDirector.PlacementHintKey] = silo });

    /// <summary>Ends the activation, because another node owns the slot.</summary>
    public void End() => GrainContext.Deactivate(
        new DeactivationReason(DeactivationReasonCode.ApplicationRequested, "Another node owns the slot in the store of the cluster."));
}
