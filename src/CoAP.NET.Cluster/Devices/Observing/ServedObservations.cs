namespace CoAP.NET.Cluster;

/// <summary>
/// The observations of other nodes at devices of this node (RFC 7641): one per resource. Each ends with the last observing node.
/// Thread-safe.
/// </summary>
internal sealed class ServedObservations : IDisposable
{
    private static readonly TimeSpan s_sweepEvery = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_maxAge = TimeSpan.FromDays(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, ServedObservation> _all = new(StringComparer.Ordinal);
    private readonly LocalDevices _local;
    private readonly TimeProvider _time;
    private readonly CoapRouteHandlerBuilder? _route;
    private readonly ITimer? _timer;

    public ServedObservations(ClusterLinks links, LocalDevices local, TimeProvider time)
    {
        _local = local;
        _time = time;
        if (links.IsOn)
        {
            _route = links.Routes.MapFetch($"/{ObservedResource.Path}/{{id}}", ServeAsync)
                .IgnoreAccept().MaxBodySize(ObservedResource.MaxRequest + sizeof(long)).Observable(s_maxAge);
            _route.ObserverCame += (_, change) => OnCame(IdOf(change.Path));
            _route.ObserverWent += (_, change) => OnWent(IdOf(change.Path));
            _timer = time.CreateTimer(static all => ((ServedObservations)all!).Sweep(), this, s_sweepEvery, s_sweepEvery);
        }
    }

    /// <summary>The number of resources observed for other nodes.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _all.Count;
            }
        }
    }

    public void Dispose()
    {
        _timer?.Dispose();
        ServedObservation[] all;
        lock (_gate)
        {
            all = [.. _all.Values];
            _all.Clear();
        }

        foreach (ServedObservation served in all)
        {
            served.End();
        }
    }

    private static string IdOf(string path) => path[(path.LastIndexOf('/') + 1)..];

    private async Task<CoapResult> ServeAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        if (ObservedResource.Read(request) is not { } resource || resource.Id != IdOf(request.Path))
        {
            return CoapResults.BadRequest("The request lacks the resource of a device.");
        }

        ServedObservation? served;
        bool isNew = false;
        lock (_gate)
        {
            if (!_all.TryGetValue(resource.Id, out served))
            {
                // A cancellation gets a response without the device.
                if (request.Options.Observe == 1 || _local.TryFind(resource.Device) is not { } device)
                {
                    return DeviceWire.Wrap((CoapDeviceException?)null);
                }

                _all.Add(resource.Id, served = new ServedObservation(resource, device, _route!, _time));
                isNew = true;
            }

            served.Joining++;
        }

        try
        {
            if (isNew)
            {
                // The first caller may leave while others still wait.
                _ = served.RunAsync();
            }

            return await served.GetAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            bool joins = request.Options.Observe == 0 || request.IsForObservers;
            lock (_gate)
            {
                served.Joining--;
                if (served.Joining == 0 && served.IsOver && _all.GetValueOrDefault(resource.Id) == served)
                {
                    // Existing observers get their notification; a later request tries again.
                    _all.Remove(resource.Id);
                }
            }

            if (!joins)
            {
                // For a cancellation the end was reported before its response.
                OnWent(resource.Id);
            }
        }
    }

    // The observation may have ended between the response and this call.
    private void OnCame(string id)
    {
        bool isThere;
        lock (_gate)
        {
            isThere = _all.ContainsKey(id);
        }

        if (!isThere)
        {
            _route!.NotifyFor(ServedObservation.NamedBy(id));
        }
    }

    private void OnWent(string id)
    {
        ServedObservation? served;
        lock (_gate)
        {
            served = _all.GetValueOrDefault(id);
        }

        // Counting takes the locks of the server and must not happen under this one.
        if (served is { Observers: 0 })
        {
            TryEnd(id, served);
        }
    }

    private void TryEnd(string id, ServedObservation served)
    {
        lock (_gate)
        {
            if (served.Joining > 0 || _all.GetValueOrDefault(id) != served)
            {
                return;
            }

            _all.Remove(id);
        }

        served.End();
    }

    // Removes those that were requested, and never observed.
    private void Sweep()
    {
        KeyValuePair<string, ServedObservation>[] all;
        lock (_gate)
        {
            all = [.. _all];
        }

        foreach ((string id, ServedObservation served) in all)
        {
            bool isIdle = served.Observers == 0;
            lock (_gate)
            {
                served.Idle = isIdle && served.Joining == 0 ? served.Idle + 1 : 0;
                isIdle = served.Idle > 1;
            }

            if (isIdle)
            {
                TryEnd(id, served);
            }
        }
    }
}
