using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>Finds devices and sends requests to them, on this node or on others. Thread-safe.</summary>
internal sealed class ClusterDevices : ICoapDevices, IDisposable
{
    private const int Looks = 8;
    private static readonly TimeSpan s_askSoon = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_askAgain = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan s_shortestLifetime = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longestLifetime = TimeSpan.FromDays(365);
    private static readonly TimeSpan s_lookAgain = TimeSpan.FromMilliseconds(250);
    private static readonly TimeSpan s_patience = Looks * s_lookAgain;

    private readonly CoapCluster _cluster;
    private readonly DeviceRecords _records;
    private readonly DevicePosts _posts;
    private readonly DeviceOutboxes _outboxes;
    private readonly CoapRandomSource _random;
    private readonly TimeProvider _time;

    public ClusterDevices(CoapCluster cluster, CoapDeviceOptions options, TimeProvider time, CoapRandomSource random,
        ILogger logger)
    {
        _cluster = cluster;
        options = options.Clone();
        _records = new DeviceRecords(cluster, options.RememberFor);
        _time = time;
        _posts = new DevicePosts(cluster);
        Waits = new DeviceWaits();
        Local = new LocalDevices(cluster, options, _records, _posts, Waits, time, logger);
        Nodes = new DeviceNodes(cluster, Local, _posts, Waits);
        Observers = new DeviceObservers(this, options, time, random, logger);
        Served = new ServedObservations(cluster.Links, Local, time);
        _outboxes = new DeviceOutboxes(cluster, this, options, time);
        Outbox = new OutboxRouting(cluster, this, _outboxes, time);
        _random = random;
        cluster.MapChanged += OnMapChanged;
    }

    /// <summary>Finds devices at other nodes; null for the links of the cluster. Set before requests.</summary>
    public IDeviceRouter? Router { get; set; }

    /// <summary>The state that moves with the slots of names.</summary>
    public ISlotHolder Holder => _outboxes;

    /// <summary>The outboxes of the cluster.</summary>
    public OutboxRouting Outbox { get; }

    /// <summary>The devices of this node.</summary>
    public LocalDevices Local { get; }

    /// <summary>The devices of other nodes.</summary>
    public DeviceNodes Nodes { get; }

    /// <summary>The observations of this node.</summary>
    public DeviceObservers Observers { get; }

    /// <summary>The observations of this node for other nodes.</summary>
    public ServedObservations Served { get; }

    /// <summary>The callers that wait for a device.</summary>
    public DeviceWaits Waits { get; }

    public ICoapDevice this[string name] => new ClusterDevice(this, name, DeviceName.Encode(name));

    public IReadOnlyList<CoapDeviceStatus> GetLocal() => [.. Local.All.Select(Local.StatusOf)];

    public void Announce(string name, CoapPeer peer)
    {
        byte[] key = DeviceName.Encode(name);
        ArgumentNullException.ThrowIfNull(peer);
        Local.Add(name, key, peer);
    }

    public async Task ForgetAsync(string name, CancellationToken cancellationToken = default)
    {
        byte[] key = DeviceName.Encode(name);
        _posts.TellAll(DevicePost.Forget, key);
        if (Router is { } router
            ? !await router.TryForgetAsync(name, key, cancellationToken).ConfigureAwait(false)
            : !await Local.TryForgetAsync(name, key, cancellationToken).ConfigureAwait(false)
            && !await Nodes.TryForgetAsync(key, cancellationToken).ConfigureAwait(false))
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                "Another node owns the slot of the device's name, and none could be notified. Try again.");
        }
    }

    /// <summary>Sends a request to a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<CoapResponse> SendAsync(string name, byte[] key, CoapRequest request, CancellationToken cancellationToken)
    {
        try
        {
            CoapResponse response = await (Router is { } router
                ? router.SendAsync(name, key, request, cancellationToken)
                : AskAsync(name, key, request, cancellationToken)).ConfigureAwait(false);
            _cluster.Counts.Add(ClusterMetric.DevicesAnswered);
            return response;
        }
        catch (CoapDeviceException exception)
        {
            _cluster.Counts.Add(exception switch
            {
                CoapDeviceAsleepException => ClusterMetric.DevicesAsleep,
                CoapDeviceUnknownException => ClusterMetric.DevicesUnknown,
                _ => ClusterMetric.DevicesUnreachable,
            });
            throw;
        }
    }

    /// <summary>Observes a resource of a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="options">The options; null for the defaults.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public Task<CoapObservation> ObserveAsync(
        string name, byte[] key, CoapRequest request, CoapObserveOptions? options, CancellationToken cancellationToken) =>
        Router is { } router
            ? router.ObserveAsync(name, key, request, options, cancellationToken)
            : Observers.ObserveAsync(name, key, request, options, cancellationToken);

    /// <summary>Creates the outbox entry of a request.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="options">The options of the request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapDeviceException">It cannot be stored, or the device is unknown.</exception>
    public async Task<OutboxEntry> MakeEntryAsync(
        string name, byte[] key, CoapRequest request, CoapDeviceRequestOptions options, CancellationToken cancellationToken)
    {
        if (options.Lifetime < s_shortestLifetime || options.Lifetime > s_longestLifetime
            || options.Caller is not { Length: <= CoapDeviceRequestOptions.MaxCallerLength })
        {
            throw new ArgumentException(
                "The lifetime of a request in an outbox must be from 1 s to 365 days, and its caller at most 255 characters long.",
                nameof(options));
        }

        CoapMessage message = DeviceWire.MessageOf(request);
        byte[] id = new byte[16];
        _random.Fill(id);
        if ((request.Content is not null && request.Payload.IsEmpty && request.Content.Bytes.IsEmpty)
            || OutboxEntry.TryMake(new Guid(id), name, key, message, options, _time.GetUtcNow()) is not { } entry)
        {
            throw new CoapDeviceQueueException(name, CoapDeviceQueueFault.TooLarge);
        }

        return (await GetStatusAsync(name, key, cancellationToken).ConfigureAwait(false)).Presence == CoapDevicePresence.Unknown
            ? throw new CoapDeviceUnknownException(name)
            : entry;
    }

    /// <summary>Waits until a device on any node is awake; may return early.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task WhenAwakeAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        if (Router is { } router)
        {
            await router.WhenAwakeAsync(name, key, cancellationToken).ConfigureAwait(false);
            return;
        }

        // Short at first: a post may have been lost while slots or nodes moved.
        TimeSpan pause = s_askSoon;
        try
        {
            while (true)
            {
                Task told = Waits.Next(name);
                if (Local.TryFind(name) is { } device)
                {
                    if (!device.IsAsleep)
                    {
                        return;
                    }

                    if (device.MayBeElsewhere)
                    {
                        if (await IsAwakeElsewhereAsync(name, key, cancellationToken).ConfigureAwait(false))
                        {
                            return;
                        }

                        device.OnNotElsewhere();
                    }

                    using CancellationTokenSource waits = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
                    await Task.WhenAny(device.WhenAwakeAsync(waits.Token), told).ConfigureAwait(false);
                    await waits.CancelAsync().ConfigureAwait(false);
                }
                else if (await IsAwakeElsewhereAsync(name, key, cancellationToken).ConfigureAwait(false))
                {
                    return;
                }
                else
                {
                    _posts.TellAll(DevicePost.Watch, key);
                    await told.WaitAsync(pause, _time, cancellationToken).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
                }

                cancellationToken.ThrowIfCancellationRequested();
                pause = pause * 2 < s_askAgain ? pause * 2 : s_askAgain;
            }
        }
        finally
        {
            Waits.Leave(name);
        }
    }

    /// <summary>Returns the status of a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<CoapDeviceStatus> GetStatusAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        if (Router is { } router)
        {
            return await router.GetStatusAsync(name, key, cancellationToken).ConfigureAwait(false);
        }

        if (Local.TryFind(name) is { } device)
        {
            return Local.StatusOf(device);
        }

        if (await Nodes.FindAsync(name, key, cancellationToken).ConfigureAwait(false) is { } elsewhere)
        {
            return elsewhere;
        }

        return await RememberAsync(name, key, cancellationToken).ConfigureAwait(false) is { } record
            ? new CoapDeviceStatus(name, CoapDevicePresence.Asleep, record.LastHeard, default)
            : new CoapDeviceStatus(name, CoapDevicePresence.Unknown, null, default);
    }

    public void Dispose()
    {
        _cluster.MapChanged -= OnMapChanged;
        _outboxes.Dispose();
        Observers.Dispose();
        Served.Dispose();
        Local.Dispose();
        Nodes.Dispose();
    }

    private async Task<CoapResponse> AskAsync(string name, byte[] key, CoapRequest request, CancellationToken cancellationToken)
    {
        using AskTime asking = new(request.Timeout, _time, cancellationToken);
        try
        {
            return await AskAsync(name, key, request, asking).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (asking.IsOver)
        {
            throw new CoapDeviceUnreachableException(name,
                "it moved between nodes during the request, and did not answer within the Timeout of "
                    + $"{request.Timeout!.Value.TotalSeconds:0} "
                    + "s. Allow more time, or try again.", request.Code != CoapCode.Get && request.Code != CoapCode.Fetch);
        }
    }

    private async Task<CoapResponse> AskAsync(string name, byte[] key, CoapRequest request, AskTime asking)
    {
        // A device that was available a moment ago may just be moving with its slot.
        bool wasThere = false;
        for (int looks = 1; ; looks++)
        {
            if (Local.TryFind(name) is { } device)
            {
                try
                {
                    if (await device.TrySendAsync(request, asking.Token).ConfigureAwait(false) is { } answer)
                    {
                        return answer;
                    }
                }
                catch (CoapDeviceAsleepException asleep)
                    when (device.MayBeElsewhere && LocalDevice.IsWhole(request)
                        && LocalDevice.IsHarmlessTwice(request, asleep.IsOutcomeUnknown))
                {
                    asking.GoOn();
                    if (await AskElsewhereAsync(device, key, request, asking.Token).ConfigureAwait(false) is { } other)
                    {
                        return other;
                    }

                    throw;
                }

                asking.GoOn();
                wasThere = true;
            }

            // A node with an expired lease may have it until it renews the lease or others take its slots.
            bool isAwaited = _cluster.Map.HasOrphans;
            CoapDeviceUnreachableException? failure = null;
            wasThere |= Nodes.Knows(name);
            try
            {
                if (await Nodes.TrySendAsync(name, key, request, asking.Token).ConfigureAwait(false) is { } response)
                {
                    return response;
                }
            }
            catch (CoapDeviceUnreachableException exception)
                when (exception is { IsOutcomeUnknown: false, InnerException: not null } && LocalDevice.IsWhole(request))
            {
                // A lost link is usually restored soon.
                failure = exception;
            }

            // The device left between the search and its answer.
            asking.GoOn();
            wasThere |= Nodes.Knows(name);
            bool goesOn = failure is null ? wasThere || isAwaited : asking.Elapsed < s_patience;
            if (!goesOn || looks == Looks)
            {
                throw failure ?? (isAwaited
                    ? new CoapDeviceUnreachableException(name, "the lease of a node that may have its session has expired, and no other "
                        + "node has taken its slots yet. Try again in a few seconds.")
                    : await FailureAsync(name, key, asking.Token).ConfigureAwait(false));
            }

            await Task.Delay(s_lookAgain, _time, asking.Token).ConfigureAwait(false);
        }
    }

    // The session that answers is the newer one, regardless of clocks.
    private async Task<CoapResponse?> AskElsewhereAsync(
        LocalDevice device, byte[] key, CoapRequest request, CancellationToken cancellationToken)
    {
        CoapResponse? response = null;
        try
        {
            response = await Nodes.TrySendAsync(device.Name, key, request, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapDeviceException exception) when (!exception.IsOutcomeUnknown)
        {
            // It is not awake there either.
        }

        if (response is null)
        {
            device.OnNotElsewhere();
        }
        else
        {
            Local.Remove(device);
        }

        return response;
    }

    private async Task<bool> IsAwakeElsewhereAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        try
        {
            return await Nodes.FindAsync(name, key, cancellationToken).ConfigureAwait(false) is { Presence: CoapDevicePresence.Awake };
        }
        catch (CoapDeviceUnreachableException)
        {
            return false;
        }
    }

    /// <summary>Returns the reason why a device without a node cannot be reached.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    public async Task<CoapDeviceException> FailureAsync(string name, byte[] key, CancellationToken cancellationToken) =>
        await RememberAsync(name, key, cancellationToken).ConfigureAwait(false) is { } record
            ? new CoapDeviceAsleepException(name, record.LastHeard)
            : new CoapDeviceUnknownException(name);

    private async ValueTask<DeviceRecord?> RememberAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        try
        {
            return await _records.FindAsync(key, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapClusterStoreException exception)
        {
            throw new CoapDeviceUnreachableException(name,
                $"no node has its session, and the store that remembers devices is unavailable. {exception.Message}", false, exception);
        }
    }

    // Notes activity from before this node owned its slots.
    private void OnMapChanged(object? sender, EventArgs arguments) => Local.NoteAll();
}
