using Orleans.CodeGeneration;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>
/// The directory entry of a device: which silo has its newest session. It is a cache: when its silo dies, the silo of the device
/// reports again, and until then a search asks all silos. Same key and grain as <see cref="IDeviceGrain"/>.
/// </summary>
[Alias("coap.device.directory"), Version(1)]
internal interface IDeviceDirectory : IGrainWithStringKey
{
    /// <summary>Returns the silo of the device.</summary>
    /// <param name="wrong">A silo that just did not have it; null for none.</param>
    [Alias("find")]
    Task<DeviceLocation> FindAsync(SiloAddress? wrong);

    /// <summary>Reports a session of the device at a silo.</summary>
    /// <param name="silo">The silo.</param>
    /// <param name="number">The number of the session, which grows at each silo.</param>
    /// <param name="silence">For a session that was opened elsewhere, the time since its last message; null for a new session, which is the
    /// newest.</param>
    /// <returns>Whether it is the newest session, and where the grain is.</returns>
    [Alias("arrived")]
    Task<DeviceArrival> ArrivedAsync(SiloAddress silo, long number, TimeSpan? silence);

    [Alias("departed")]
    Task DepartedAsync(SiloAddress silo, long number);

    /// <summary>Waits for some time until a silo has the device.</summary>
    [Alias("when-arrived")]
    Task WhenArrivedAsync(CancellationToken cancellationToken);
}
