using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Devices;
using CoAP.NET.Orleans.Devices;
using Orleans.Runtime;

namespace CoAP.NET.Orleans;

/// <summary>Sends requests to devices through their grains.</summary>
public static class DeviceGrainExtensions
{
    /// <summary>Returns the device of a grain, which works like a <see cref="CoapPeer"/>.</summary>
    /// <remarks>
    /// Requests fail with the exceptions of <see cref="ICoapDevice"/>. <see cref="ICoapClient.ObserveAsync"/> throws a
    /// <see cref="NotSupportedException"/>: observe devices in a silo, with <see cref="ICoapDevices"/>.
    /// </remarks>
    /// <param name="grain">The grain.</param>
    /// <returns>The device.</returns>
    public static ICoapClient ToDevice(this IDeviceGrain grain)
    {
        ArgumentNullException.ThrowIfNull(grain);
        return new GrainDevice(grain);
    }

    private sealed class GrainDevice(IDeviceGrain grain) : ICoapClient
    {
        public async Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
        {
            ArgumentNullException.ThrowIfNull(request);
            string name = grain.GetPrimaryKeyString();
            CoapRequest whole = await DeviceBodies.ReadAsync(name, request, cancellationToken).ConfigureAwait(false);
            CoapDeviceAnswer answer;
            try
            {
                answer = await grain.SendAsync(whole, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception exception) when (!cancellationToken.IsCancellationRequested)
            {
                throw CoapDeviceException.Unreachable(name,
                    $"its grain did not answer. {exception.Message}", !DeviceRequestMessageFactory.IsSafe(request), exception);
            }

            return answer.Response is { } response
                ? await DeviceBodies.PassOnAsync(response, request, cancellationToken).ConfigureAwait(false)
                : throw answer.Failure ?? CoapDeviceException.Unknown(name);
        }

        public Task<CoapObservation> ObserveAsync(
            CoapRequest request, CoapObservationOptions? options = null, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException("A grain does not pass on notifications. Observe the device in a silo, with ICoapDevices.");
    }
}
