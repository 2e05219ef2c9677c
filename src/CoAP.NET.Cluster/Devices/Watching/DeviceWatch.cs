namespace CoAP.NET.Cluster;

/// <summary>A resource observed at all devices of this node, once for all observers on this node and others. Thread-safe.</summary>
internal sealed class DeviceWatch
{
    // Messages from just before the handover of a session may take this long through this node.
    private const int MaxLeft = 4_096;
    private static readonly TimeSpan s_leftFor = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, WatchedDevice> _devices = new(StringComparer.Ordinal);

    // Includes those that were just handed over, which are in the queue.
    private readonly Dictionary<CoapPeer, WatchedDevice> _byPeer = [];
    private readonly Queue<(WatchedDevice Device, long At)> _left = new();
    private readonly HashSet<WatchReader> _readers = [];
    private readonly WatchParts _parts;
    private readonly WatchRun _run;
    private long _idleSince;
    private bool _isOver;

    public DeviceWatch(WatchedResource resource, WatchParts parts)
    {
        (Resource, _parts) = (resource, parts);
        _run = new WatchRun(this, parts);
        _idleSince = parts.Time.GetTimestamp();
        parts.Cluster.Observations.MapOwn(resource.Name, OnNotification, WatchRun.Rule);
    }

    /// <summary>The observed resource.</summary>
    public WatchedResource Resource { get; }

    /// <summary>The number of devices.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _devices.Count;
            }
        }
    }

    /// <summary>Whether it has ended.</summary>
    public bool IsOver
    {
        get
        {
            lock (_gate)
            {
                return _isOver;
            }
        }
    }

    /// <summary>The time without observers; 0 while there are some.</summary>
    public TimeSpan Idle
    {
        get
        {
            lock (_gate)
            {
                return _readers.Count > 0 ? TimeSpan.Zero : _parts.Time.GetElapsedTime(_idleSince);
            }
        }
    }

    /// <summary>Adds a device.</summary>
    /// <param name="device">The device.</param>
    public void Add(LocalDevice device)
    {
        WatchedDevice one = new(device);
        WatchedDevice? before;
        lock (_gate)
        {
            before = _devices.GetValueOrDefault(device.Name);
            if (_isOver || before?.Device == device)
            {
                return;
            }

            _devices[device.Name] = one;
            _byPeer[device.Peer] = one;
            MarkLocked(one);
        }

        if (before is not null)
        {
            Stop(before);
        }

        _ = _run.RunAsync(one);
        _ = device.Gone.UnsafeRegister(static (state, _) =>
        {
            (DeviceWatch watch, WatchedDevice gone) = ((DeviceWatch, WatchedDevice))state!;
            watch.OnGone(gone);
        }, (this, one));
    }

    /// <summary>Adds an observer of all devices.</summary>
    /// <param name="reader">The observer.</param>
    /// <returns>False if the watch has ended.</returns>
    public bool TryAdd(WatchReader reader)
    {
        lock (_gate)
        {
            if (_isOver)
            {
                return false;
            }

            _readers.Add(reader);
            foreach (WatchedDevice one in _devices.Values)
            {
                reader.Mark(one);
            }
        }

        reader.News.Wake();
        return true;
    }

    /// <summary>Removes an observer.</summary>
    /// <param name="reader">The observer.</param>
    public void Remove(WatchReader reader)
    {
        lock (_gate)
        {
            if (_readers.Remove(reader) && _readers.Count == 0)
            {
                _idleSince = _parts.Time.GetTimestamp();
            }
        }
    }

    /// <summary>Takes the news for a reader.</summary>
    /// <param name="reader">The reader.</param>
    public List<WatchItem> Take(WatchReader reader)
    {
        const int MaxItems = 2_000;
        const int MaxBytes = 48 * 1024;
        List<WatchItem> items;
        long skipped;
        lock (_gate)
        {
            items = reader.Take(MaxItems, MaxBytes, out skipped);
        }

        if (skipped > 0)
        {
            _parts.Cluster.Counts.Add(ClusterMetric.DeviceStatesSkipped, skipped);
        }

        return items;
    }

    /// <summary>Reads the states of devices that were silent here: notifications to their previous node may be lost or unknown.</summary>
    /// <param name="names">The devices.</param>
    public void Read(IEnumerable<string> names)
    {
        lock (_gate)
        {
            foreach (string name in names)
            {
                if (_devices.TryGetValue(name, out WatchedDevice? one) && one.Version == 0)
                {
                    one.MustBeRead = true;
                    one.Changed.Wake();
                }
            }
        }
    }

    /// <summary>Ends it.</summary>
    /// <param name="isLeft">Whether another process may continue it; otherwise devices are deregistered, at the rate of
    /// registrations.</param>
    /// <returns>False if it has observers, or had already ended.</returns>
    public bool TryEnd(bool isLeft)
    {
        WatchedDevice[] all;
        WatchReader[] readers;
        lock (_gate)
        {
            if (_isOver || (_readers.Count > 0 && !isLeft))
            {
                return false;
            }

            _isOver = true;
            readers = [.. _readers];
            all = [.. _devices.Values];
            _devices.Clear();
            _byPeer.Clear();
            _left.Clear();

            // Under the lock: a new observer must not find any of it.
            _parts.Cluster.Observations.UnmapOwn(Resource.Name, OnNotification);
            foreach (WatchedDevice one in all)
            {
                one.IsLeft = isLeft;
                if (!isLeft)
                {
                    _parts.Cluster.Observations.TakeOwn(Resource.Name, one.Device.Peer);
                }
            }
        }

        Array.ForEach(all, Stop);
        Array.ForEach(readers, static reader => reader.News.Wake());
        return true;
    }

    /// <summary>Handles a message of a device: a response to its registration, or a notification.</summary>
    /// <param name="one">The device.</param>
    /// <param name="response">The message.</param>
    public void Take(WatchedDevice one, CoapResponse response) => Take(one, response, RefusalBy(response, mustBeObserved: true), null);

    /// <summary>Handles a notification. It may arrive here just after the device was handed over.</summary>
    /// <param name="notification">The notification.</param>
    public void OnNotification(CoapObservedNotification notification)
    {
        WatchedDevice? one;
        lock (_gate)
        {
            one = _byPeer.GetValueOrDefault(notification.Peer);
        }

        if (one is not null)
        {
            Take(one, notification.Response);
        }
    }

    /// <summary>Handles the latest state of an existing observation; newer ones arrive on their own.</summary>
    /// <param name="one">The device.</param>
    /// <param name="made">The observation.</param>
    public void TakeLatest(WatchedDevice one, CoapObservation made)
    {
        if (made.Latest is { } latest)
        {
            Take(one, latest, RefusalBy(latest, mustBeObserved: true), made);
        }
    }

    /// <summary>Handles the response to a read.</summary>
    /// <param name="one">The device.</param>
    /// <param name="response">The response.</param>
    public void TakeRead(WatchedDevice one, CoapResponse response)
    {
        lock (_gate)
        {
            if (!one.MustBeRead)
            {
                // It has notified meanwhile.
                return;
            }
        }

        Take(one, response, RefusalBy(response, mustBeObserved: false), null);
    }

    /// <summary>Forgets devices that were handed over some time ago.</summary>
    public void ForgetLeft()
    {
        lock (_gate)
        {
            ForgetLeftLocked();
        }
    }

    /// <summary>Returns a snapshot of what is known of a device.</summary>
    /// <param name="one">The device.</param>
    public (CoapDeviceRefusal? Refusal, bool MustBeRead) StateOf(WatchedDevice one)
    {
        lock (_gate)
        {
            return (one.Refusal, one.MustBeRead);
        }
    }

    private static void Stop(WatchedDevice one) => _ = one.Stop.CancelAsync();

    private CoapDeviceRefusal? RefusalBy(CoapResponse response, bool mustBeObserved) => !response.IsSuccess ? CoapDeviceRefusal.Error
        : mustBeObserved && response.Options.Observe is null ? CoapDeviceRefusal.NotObservable
        : response.Payload.Length > _parts.Options.MaxNotificationSize ? CoapDeviceRefusal.TooLarge
        : null;

    private void Take(WatchedDevice one, CoapResponse response, CoapDeviceRefusal? refusal, CoapObservation? found)
    {
        bool isRefused = false;
        lock (_gate)
        {
            if (ReferenceEquals(one.Heard, response) || (found is not null && !ReferenceEquals(found.Latest, response)))
            {
                return;
            }

            one.Heard = response;
            bool isNews = true;
            if (refusal is { } why)
            {
                // Responses that are too large are not kept.
                bool isSmall = response.Payload.Length <= _parts.Options.MaxNotificationSize;
                isNews = isRefused = one.TryRefuse(why, isSmall ? response : null);
                one.Heard = isSmall ? response : null;
            }
            else
            {
                one.Take(response);
            }

            // A handed-over device has acknowledgements for what this node heard last, so no other node hears it.
            WatchedDevice? now = _devices.GetValueOrDefault(one.Device.Name);
            if (isNews && (now == one || (now is null && one.HasMoved)))
            {
                MarkLocked(one);
            }
        }

        one.Changed.Wake();
        if (refusal is { } because && isRefused)
        {
            _parts.OnRefused(one.Device.Name, because, response.Code);
        }
    }

    private void OnGone(WatchedDevice one)
    {
        bool hasMoved = one.Device.Place.HasMoved;
        lock (_gate)
        {
            ForgetLeftLocked();
            if (hasMoved)
            {
                _left.Enqueue((one, _parts.Time.GetTimestamp()));
            }
            else
            {
                ForgetLocked(one);
            }

            if (_devices.GetValueOrDefault(one.Device.Name) == one)
            {
                _devices.Remove(one.Device.Name);
                (one.IsGone, one.HasMoved) = (true, hasMoved);
                MarkLocked(one);
            }

            // A forgotten device that is still here is deregistered.
            one.IsLeft = hasMoved || one.Device.Peer.Disconnected.IsCancellationRequested;
        }

        Stop(one);
    }

    private void ForgetLeftLocked()
    {
        while (_left.TryPeek(out (WatchedDevice Device, long At) left)
            && (_left.Count >= MaxLeft || _parts.Time.GetElapsedTime(left.At) >= s_leftFor))
        {
            _left.Dequeue();
            ForgetLocked(left.Device);
        }
    }

    private void ForgetLocked(WatchedDevice one)
    {
        if (_byPeer.GetValueOrDefault(one.Device.Peer) == one)
        {
            _byPeer.Remove(one.Device.Peer);
        }
    }

    private void MarkLocked(WatchedDevice one)
    {
        foreach (WatchReader reader in _readers)
        {
            if (reader.Mark(one))
            {
                reader.News.Wake();
            }
        }
    }
}
