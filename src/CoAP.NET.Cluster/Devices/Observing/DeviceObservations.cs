using CoAP.NET.Diagnostics;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Devices.Observing;

/// <summary>The observations of this node at devices of any node. Thread-safe.</summary>
internal sealed class DeviceObservations(
    ClusterDevices devices, CoapDeviceOptions options, TimeProvider time, CoapRandomSource random, ILogger logger) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, HashSet<DeviceObservation>> _all = new(StringComparer.Ordinal);
    private bool _isDisposed;

    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _all.Values.Sum(static some => some.Count);
            }
        }
    }

    public TimeProvider Time => time;

    public CoapRandomSource Random => random;

    public ILogger Logger => logger;

    public async Task<CoapObservation> ObserveAsync(
        string name, CoapRequest request, CoapObservationOptions? observe, CancellationToken cancellationToken)
    {
        ObservedResource resource = ObservedResource.Of(name, request, observe?.Reregistration ?? CoapReregistrationPolicy.Auto);
        DeviceObservation observation = new(devices, this, resource, observe);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, devices);
            if (!_all.TryGetValue(name, out HashSet<DeviceObservation>? some))
            {
                _all.Add(name, some = []);
            }

            if (some.Count >= options.MaxObservationsPerDevice)
            {
                throw new CoapDeviceException(CoapDeviceFault.Failed, name,
                    $"This node already has {some.Count} observations of the device '{CoapUntrustedText.LineOf(name)}'. Dispose of "
                    + "observations, or raise CoapDeviceOptions.MaxObservationsPerDevice.");
            }

            some.Add(observation);
        }

        return await observation.BeginAsync(cancellationToken).ConfigureAwait(false);
    }

    public void Remove(DeviceObservation observation)
    {
        lock (_gate)
        {
            if (_all.TryGetValue(observation.Device, out HashSet<DeviceObservation>? some) && some.Remove(observation) && some.Count == 0)
            {
                _all.Remove(observation.Device);
            }
        }
    }

    public void Dispose()
    {
        DeviceObservation[] all;
        lock (_gate)
        {
            _isDisposed = true;
            all = [.. _all.Values.SelectMany(static some => some)];
        }

        foreach (DeviceObservation observation in all)
        {
            observation.Stop();
        }
    }
}
