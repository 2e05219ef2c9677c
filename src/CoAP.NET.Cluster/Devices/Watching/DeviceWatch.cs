namespace CoAP.NET.Cluster;

/// <summary>
/// A resource that this node observes at all devices of its own, once for everybody who wants to know, here and at other nodes.
/// Thread-safe.
/// </summary>
internal sealed class DeviceWatch
{
    // What came just before a session was handed over may be on its way through this node for so long.
    private const int MaxLeft = 4_096;
    private static readonly TimeSpan s_leftFor = TimeSpan.FromSeconds(10);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, WatchedDevice> _devices = new(StringComparer.Ordinal);

    // Also those that were handed over a moment ago, which are in the queue.
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

    /// <summary>What is observed.</summary>
    public WatchedResource Resource { get; }

    /// <summary>How many devices there are.</summary>
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

    /// <summary>For how long nobody has wanted to know; 0 while somebody does.</summary>
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

    /// <summary>A device is here.</summary>
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

    /// <summary>Somebody wants to know: of all devices, from now on.</summary>
    /// <param name="reader">Who.</param>
    /// <returns>False when the watch is over.</returns>
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

    /// <summary>Somebody does not want to know any more.</summary>
    /// <param name="reader">Who.</param>
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

    /// <summary>Takes what is new for a reader.</summary>
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

    /// <summary>
    /// Has the states of devices read that have said nothing here: what their node before was told may be lost, or be known to nobody.
    /// </summary>
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
    /// <param name="isLeft">Whether another process may go on with it; otherwise devices are told, at the pace of registrations.</param>
    /// <returns>False when somebody wants to know, or it was ended already.</returns>
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

            // Within the lock: who wants to know again from now on must find nothing of it.
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

    /// <summary>What a device says, be it of its registration or later.</summary>
    /// <param name="one">The device.</param>
    /// <param name="response">What.</param>
    public void Take(WatchedDevice one, CoapResponse response) => Take(one, response, RefusalBy(response, mustBeObserved: true), null);

    /// <summary>A device notifies. That may be known here a moment after it was handed over.</summary>
    /// <param name="notification">What it says.</param>
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

    /// <summary>What a device said last, as somebody finds it; whatever is newer by then comes by itself.</summary>
    /// <param name="one">The device.</param>
    /// <param name="made">The observation.</param>
    public void TakeLatest(WatchedDevice one, CoapObservation made)
    {
        if (made.Latest is { } latest)
        {
            Take(one, latest, RefusalBy(latest, mustBeObserved: true), made);
        }
    }

    /// <summary>What a device answers to a read.</summary>
    /// <param name="one">The device.</param>
    /// <param name="response">What.</param>
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

    /// <summary>Forgets those that were handed over some time ago.</summary>
    public void ForgetLeft()
    {
        lock (_gate)
        {
            ForgetLeftLocked();
        }
    }

    /// <summary>What is known of a device, read at a moment.</summary>
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
                // What is too large is not kept.
                bool isSmall = response.Payload.Length <= _parts.Options.MaxNotificationSize;
                isNews = isRefused = one.TryRefuse(why, isSmall ? response : null);
                one.Heard = isSmall ? response : null;
            }
            else
            {
                one.Take(response);
            }

            // One that was handed over has acknowledgements for what this node heard last, so nobody else hears of it.
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

            // One that was forgotten, and is still there, is told.
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
