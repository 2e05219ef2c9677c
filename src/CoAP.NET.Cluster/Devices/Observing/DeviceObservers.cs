using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>The observations of this node at devices on any node. Thread-safe.</summary>
internal sealed class DeviceObservers(
    ClusterDevices devices, CoapDeviceOptions options, TimeProvider time, CoapRandomSource random, ILogger logger) : IDisposable
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, HashSet<FollowedObservation>> _all = new(StringComparer.Ordinal);
    private bool _isDisposed;

    /// <summary>The current number.</summary>
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

    /// <summary>Observes a resource of a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="observe">The options; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting, and ends the observation.</param>
    public async Task<CoapObservation> ObserveAsync(
        string name, byte[] key, CoapRequest request, CoapObserveOptions? observe, CancellationToken cancellationToken)
    {
        ObservedResource resource = ObservedResource.Of(name, key, request, observe?.Reregistration ?? CoapReregistration.Auto);
        FollowedObservation followed = new(devices, this, resource, observe, time, random, logger);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, devices);
            if (!_all.TryGetValue(name, out HashSet<FollowedObservation>? some))
            {
                _all.Add(name, some = []);
            }

            if (some.Count >= options.MaxObservationsPerDevice)
            {
                throw new CoapDeviceException(name,
                    $"This node already has {some.Count} observations of the device '{CoapForeignText.LineOf(name)}'. Dispose of "
                    + "observations, or raise CoapDeviceOptions.MaxObservationsPerDevice.");
            }

            some.Add(followed);
        }

        return await followed.BeginAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Removes an ended observation.</summary>
    public void Remove(FollowedObservation followed)
    {
        lock (_gate)
        {
            if (_all.TryGetValue(followed.Device, out HashSet<FollowedObservation>? some) && some.Remove(followed) && some.Count == 0)
            {
                _all.Remove(followed.Device);
            }
        }
    }

    public void Dispose()
    {
        FollowedObservation[] all;
        lock (_gate)
        {
            _isDisposed = true;
            all = [.. _all.Values.SelectMany(static some => some)];
        }

        foreach (FollowedObservation followed in all)
        {
            followed.Stop();
        }
    }
}
