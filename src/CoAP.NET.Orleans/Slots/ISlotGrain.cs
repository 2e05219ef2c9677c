using Orleans.CodeGeneration;

namespace CoAP.NET.Orleans.Slots;

/// <summary>One of the 256 slots of devices. The silo with its activation owns it.</summary>
[Alias("coap.slot"), Version(1)]
internal interface ISlotGrain : IGrainWithIntegerKey
{
    /// <summary>Activates the slot, where the map plans it, unless it is active.</summary>
    /// <returns>A task that completes when a silo owns it.</returns>
    [Alias("activate")]
    Task ActivateAsync();
}
