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
    /// <summary>Sends a request to the device.</summary>
    /// <remarks>
    /// <see cref="DeviceGrainExtensions.ToDevice"/> also takes bodies from streams and passes them to streams, and throws the failure.
    /// </remarks>
    /// <param name="request">The request, whose body is in memory and has at most 16 MiB. Only method, options, body,
    /// <see cref="CoapRequest.Confirmable"/> and <see cref="CoapRequest.Timeout"/> are sent.</param>
    /// <param name="cancellationToken">Stops waiting and retransmitting.</param>
    /// <returns>The response or the failure.</returns>
    [Alias("send"), ResponseTimeout("00:15:00")]
    Task<CoapDeviceAnswer> SendAsync(CoapRequest request, CancellationToken cancellationToken = default);
}
