using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// The resources observed at all devices of this node, for its own callers and for other nodes, which poll. A resource without observers
/// for a minute is no longer observed. Thread-safe.
/// </summary>
internal sealed class DeviceWatches : IDisposable
{
    private static readonly TimeSpan s_sweepEvery = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longestIdle = TimeSpan.FromMinutes(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, DeviceWatch> _all = new(StringComparer.Ordinal);
    private readonly Dictionary<(CoapNodeId Node, Guid Reader), RemoteReader> _remote = [];
    private readonly CoapCluster _cluster;
    private readonly LocalDevices _local;
    private readonly WatchParts _parts;
    private readonly ITimer _timer;
    private bool _isDisposed;

    public DeviceWatches(
        CoapCluster cluster, LocalDevices local, CoapDeviceOptions options, TimeProvider time, CoapRandomSource random, ILogger logger)
    {
        _cluster = cluster;
        _local = local;
        RegistrationPace pace = new(options.RegistrationsPerSecond, options.MaxRegistrationsUnderWay, time);
        _parts = new WatchParts(cluster, options, pace, time, random, logger);
        _timer = time.CreateTimer(
            static watches => ((DeviceWatches)watches!).Sweep(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        local.Came += OnCame;
        if (cluster.Links.IsOn)
        {
            cluster.Links.Routes.MapPost($"/{WatchWire.PollPath}", PollAsync).MaxBodySize(WatchWire.MaxPoll);
            cluster.Links.Routes.MapPost($"/{WatchWire.ReadPath}", Read).MaxBodySize(WatchWire.MaxPoll * 16);
        }
    }

    /// <summary>The number of resources.</summary>
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

    /// <summary>The number of pending registrations.</summary>
    public int UnderWay => _parts.Pace.UnderWay;

    /// <summary>Adds an observer of a resource on this node.</summary>
    /// <param name="resource">The resource.</param>
    /// <param name="reader">Receives the news from now on.</param>
    /// <returns>The watch.</returns>
    /// <exception cref="ObjectDisposedException">The cluster is disposed.</exception>
    public DeviceWatch Join(WatchedResource resource, WatchReader reader)
    {
        while (true)
        {
            DeviceWatch? watch;
            bool isNew = false;
            lock (_gate)
            {
                ObjectDisposedException.ThrowIf(_isDisposed, _cluster);
                if (!_all.TryGetValue(resource.Id, out watch))
                {
                    _all.Add(resource.Id, watch = new DeviceWatch(resource, _parts));
                    _timer.Change(s_sweepEvery, s_sweepEvery);
                    isNew = true;
                }
            }

            if (!watch.TryAdd(reader))
            {
                // It is just ending.
                Remove(watch);
                continue;
            }

            if (isNew)
            {
                foreach (LocalDevice device in _local.All)
                {
                    watch.Add(device);
                }
            }

            return watch;
        }
    }

    /// <summary>Reads the states of devices.</summary>
    /// <param name="resource">The resource.</param>
    /// <param name="devices">The devices.</param>
    /// <returns>False if the resource is not observed.</returns>
    public bool Read(WatchedResource resource, IEnumerable<string> devices)
    {
        DeviceWatch? watch;
        lock (_gate)
        {
            watch = _all.GetValueOrDefault(resource.Id);
        }

        watch?.Read(devices);
        return watch is not null;
    }

    public void Dispose()
    {
        DeviceWatch[] all;
        lock (_gate)
        {
            _isDisposed = true;
            all = [.. _all.Values];
            _all.Clear();
            _remote.Clear();
        }

        _local.Came -= OnCame;
        _timer.Dispose();
        foreach (DeviceWatch watch in all)
        {
            watch.TryEnd(isLeft: true);
        }

        _parts.Pace.Dispose();
    }

    private void OnCame(LocalDevice device)
    {
        DeviceWatch[] all;
        lock (_gate)
        {
            all = [.. _all.Values];
        }

        foreach (DeviceWatch watch in all)
        {
            watch.Add(device);
        }
    }

    private async Task<CoapResult> PollAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        (Guid id, uint last, WatchedResource? resource) = WatchWire.ReadPoll(request.Payload.Span);
        if (resource is null)
        {
            return CoapResults.BadRequest("The poll lacks a resource of devices.");
        }

        (CoapNodeId, Guid) key = (_cluster.Links.NodeOf(request), id);
        RemoteReader? reader;
        lock (_gate)
        {
            reader = _remote.GetValueOrDefault(key);
        }

        reader ??= Join(resource, key);
        return await reader.PollAsync(last, cancellationToken).ConfigureAwait(false) is { } answer
            ? new CoapResult(CoapCode.Content, answer, CoapContentFormat.OctetStream)
            : CoapResults.Status(CoapCode.ServiceUnavailable);
    }

    private RemoteReader Join(WatchedResource resource, (CoapNodeId, Guid) key)
    {
        WatchReader reader = new();
        DeviceWatch watch = Join(resource, reader);
        RemoteReader made = new(watch, reader, _parts.Time);
        RemoteReader? other;
        lock (_gate)
        {
            if (_remote.TryAdd(key, made))
            {
                return made;
            }

            other = _remote[key];
        }

        watch.Remove(reader);
        return other;
    }

    private CoapResult Read(CoapRequest request)
    {
        (WatchedResource? resource, List<string> names) = WatchWire.ReadNames(request.Payload.Span);
        return resource is not null && Read(resource, names) ? CoapResults.Changed() : CoapResults.NotFound();
    }

    private void Sweep()
    {
        RemoteReader[] gone;
        DeviceWatch[] all;
        lock (_gate)
        {
            (CoapNodeId, Guid)[] idle = [.. _remote.Where(static one => one.Value.Idle > s_longestIdle).Select(static one => one.Key)];
            gone = Array.ConvertAll(idle, key => _remote[key]);
            Array.ForEach(idle, key => _remote.Remove(key));
            all = [.. _all.Values];
        }

        foreach (RemoteReader reader in gone)
        {
            reader.Watch.Remove(reader.Reader);
        }

        foreach (DeviceWatch watch in all)
        {
            watch.ForgetLeft();
            if (watch.Idle > s_longestIdle && watch.TryEnd(isLeft: false))
            {
                Remove(watch);
            }
        }
    }

    private void Remove(DeviceWatch watch)
    {
        lock (_gate)
        {
            if (_all.GetValueOrDefault(watch.Resource.Id) == watch)
            {
                _all.Remove(watch.Resource.Id);
            }
        }
    }
}
