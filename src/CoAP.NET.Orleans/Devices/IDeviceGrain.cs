using Orleans.CodeGeneration;

namespace CoAP.NET.Orleans;

/// <summary>A device by its name, for grains and for clients outside of the silos: <see cref="DeviceGrainExtensions.ToDevice"/>.</summary>
/// <remarks>
/// Its key is the name of the device. In a silo the <see cref="Cluster.ICoapDevices"/> of the services does the same with one call less,
/// and also observes.
/// </remarks>
[Alias("coap.device"), Version(1)]
public interface IDeviceGrain : IGrainWithStringKey
{
    /// <summary>Sends a request to the device. Called by <see cref="DeviceGrainExtensions.ToDevice"/>.</summary>
    /// <param name="request">The request, in the format of this library.</param>
    /// <param name="timeout">The timeout of the request; null for that of the session.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The response or the failure, in the format of this library.</returns>
    [Alias("send"), ResponseTimeout("00:15:00")]
    Task<byte[]> SendAsync(byte[] request, TimeSpan? timeout, CancellationToken cancellationToken = default);
}
