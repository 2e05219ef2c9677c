using System.Buffers.Binary;
using System.Collections.Concurrent;

namespace CoAP.NET.Cluster;

/// <summary>
/// The devices of other nodes: finds the node of a device by asking all nodes, remembers it, and sends requests there. A wrong entry
/// corrects itself because a node reports that it lacks a device. Also serves the other nodes. Thread-safe.
/// </summary>
internal sealed class DeviceNodes : IClusterLinkListener, IDisposable
{
    // Above this number all entries are forgotten, and searched again.
    private const int MaxRemembered = 65_536;

    // A time and the length of an id (DevicePost.Heard).
    private const int SessionHead = sizeof(long) + 1;
    private static readonly TimeSpan s_findTimeout = TimeSpan.FromSeconds(5);

    // For a node that never answers; normally the asking node ends the request.
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(15);

    private readonly CoapCluster _cluster;
    private readonly ClusterLinks _links;
    private readonly LocalDevices _local;
    private readonly DevicePosts _posts;
    private readonly DeviceWaits _waits;
    private readonly ConcurrentDictionary<(string Name, CoapNodeId Node), byte> _watched = new();
    private readonly ConcurrentDictionary<string, CoapNodeId> _places = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<(CoapNodeId Node, ulong Number), CancellationTokenSource> _served = new();
    private readonly CancellationTokenSource _stop = new();
    private ulong _number;

    public DeviceNodes(CoapCluster cluster, LocalDevices local, DevicePosts posts, DeviceWaits waits)
    {
        _cluster = cluster;
        _links = cluster.Links;
        _local = local;
        _posts = posts;
        _waits = waits;
        if (_links.IsOn)
        {
            _links.Listen(this);
            _links.Routes.Map($"/{DeviceWire.AskPath}/{{*path}}", Enum.GetValues<CoapMethod>(), ServeAsync)
                .Forwards().IgnoreAccept().StreamBody().MaxBodySize(1 << 30);
            _links.Routes.MapGet($"/{DeviceWire.FindPath}", Find);
            _links.Routes.MapDelete($"/{DeviceWire.FindPath}", ForgetAsync);
            _links.MapBatch(DevicePosts.Path, OnPost);
        }
    }

    /// <summary>The number of remembered places.</summary>
    public int RememberedCount => _places.Count;

    /// <summary>The current number of requests of other nodes.</summary>
    public int ServedCount => _served.Count;

    /// <summary>Whether a remembered place exists for a device, correct or not.</summary>
    /// <param name="name">Its name.</param>
    public bool Knows(string name) => _places.ContainsKey(name);

    /// <summary>Remembers the reported place of a device, correct or not.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="node">The node.</param>
    public void Remember(string name, CoapNodeId node)
    {
        if (_places.Count >= MaxRemembered)
        {
            _places.Clear();
        }

        _places[name] = node;
    }

    /// <summary>Sends a request to a device of another node.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting, on both nodes.</param>
    /// <returns>Its answer; null if no node has it.</returns>
    /// <exception cref="CoapDeviceException">There is no answer.</exception>
    public async Task<CoapResponse?> TrySendAsync(
        string name, byte[] key, CoapRequest request, CancellationToken cancellationToken)
    {
        if (!_links.IsOn)
        {
            return null;
        }

        if (_places.TryGetValue(name, out CoapNodeId known))
        {
            try
            {
                if (await TrySendAsync(known, name, key, request, cancellationToken).ConfigureAwait(false) is { } response)
                {
                    return response;
                }
            }
            catch (CoapDeviceUnreachableException exception) when (exception is { IsOutcomeUnknown: false, InnerException: not null })
            {
                // The node died, and another one may have the device.
            }

            _places.TryRemove(KeyValuePair.Create(name, known));
        }

        return await FindAsync(name, key, cancellationToken).ConfigureAwait(false) is { } found
            ? await TrySendAsync(found.Node, name, key, request, cancellationToken).ConfigureAwait(false)
            : null;
    }

    /// <summary>Observes a device at another node until the node ends it.</summary>
    /// <param name="node">The node.</param>
    /// <param name="request">The request.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <exception cref="CoapException">It does not answer.</exception>
    public Task<CoapObservation> ObserveAsync(CoapNodeId node, CoapRequest request, CancellationToken cancellationToken) =>
        _links.ObserveAsync(node, request, new CoapObserveOptions { Reregistration = CoapReregistration.Never }, cancellationToken);

    /// <summary>Asks all nodes for a device.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>The status from its node; null if no node has it.</returns>
    /// <exception cref="CoapDeviceUnreachableException">A node that may have it is not reachable.</exception>
    public async Task<CoapDeviceStatus?> FindAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        if (!_links.IsOn)
        {
            return null;
        }

        CoapNodeId[] others = [.. _cluster.Map.Nodes.Where(node => node.Id != _cluster.Self.Id && node.Address.Length > 0)
            .Select(static node => node.Id)];
        CoapException? failure = null;
        CoapDeviceStatus? found = null;
        foreach ((CoapDeviceStatus? status, CoapException? error) in await Task.WhenAll(
            others.Select(node => FindAtAsync(node, name, key, cancellationToken))).ConfigureAwait(false))
        {
            failure ??= error;

            // A device with a new session may have left a dead session at its previous node.
            if (status is not null && (found is null || IsBetter(status, found)))
            {
                found = status;
            }
        }

        if (found is not null)
        {
            Remember(name, found.Node);
            return found;
        }

        return failure is null
            ? null
            : throw new CoapDeviceUnreachableException(name,
                $"no reachable node has its session, and another node is not reachable now. {failure.Message}", false, failure);
    }

    /// <summary>Makes the node that owns the slot of a device's name forget the device, and waits for the store.</summary>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>Whether the device was forgotten.</returns>
    public async Task<bool> TryForgetAsync(byte[] key, CancellationToken cancellationToken)
    {
        try
        {
            CoapNodeId home = _cluster.Map[CoapSlot.OfName(key)].Node;
            return (await _links.SendAsync(home, DeviceWire.Forget(key), cancellationToken).ConfigureAwait(false)).IsSuccess;
        }
        catch (CoapException)
        {
            return false;
        }
    }

    public void OnUp(CoapNodeId node)
    {
        // It may have a device that callers wait for.
        foreach (string name in _waits.Names)
        {
            _posts.TryTell(node, DevicePost.Watch, DeviceName.TryEncode(name));
        }
    }

    public void OnDown(CoapNodeId node)
    {
    }

    public void Dispose() => _stop.Cancel();

    private static bool IsBetter(CoapDeviceStatus one, CoapDeviceStatus other) => one.Presence == other.Presence
        ? one.LastHeard > other.LastHeard
        : one.Presence == CoapDevicePresence.Awake;

    private async Task<(CoapDeviceStatus? Status, CoapException? Error)> FindAtAsync(
        CoapNodeId node, string name, byte[] key, CancellationToken cancellationToken)
    {
        try
        {
            CoapRequest request = DeviceWire.Find(key);
            request.Timeout = s_findTimeout;
            CoapResponse response = await _links.SendAsync(node, request, cancellationToken).ConfigureAwait(false);
            return (DeviceWire.StatusOf(response, name, node), null);
        }
        catch (CoapException exception)
        {
            return (null, exception);
        }
    }

    private async Task<CoapResponse?> TrySendAsync(
        CoapNodeId node, string name, byte[] key, CoapRequest request, CancellationToken cancellationToken)
    {
        ulong number = Interlocked.Increment(ref _number);
        CoapRequest link = DeviceWire.Wrap(key, number, request);
        link.Timeout = request.Timeout is { } time && time != Timeout.InfiniteTimeSpan ? time : s_longest;
        CoapResponse response;
        try
        {
            response = await _links.SendAsync(node, link, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapException exception)
        {
            Cancel(node, number);
            throw DeviceFailure.AtNode(exception, name, node);
        }
        catch (OperationCanceledException)
        {
            Cancel(node, number);
            throw;
        }

        if (!DeviceWire.IsFailure(response))
        {
            return response;
        }

        CoapDeviceException? failure = DeviceWire.FailureOf(response, name);
        return failure is null or { HasMoved: true } && LocalDevice.IsWhole(request) ? null
            : throw failure ?? new CoapDeviceUnreachableException(name,
                $"node {node} no longer has its session, and the body of the request, a stream, was already consumed. Send "
                    + "it again.", !IsSafe(request));
    }

    private static bool IsSafe(CoapRequest request) => request.Code == CoapCode.Get || request.Code == CoapCode.Fetch;

    private void Cancel(CoapNodeId node, ulong number)
    {
        Span<byte> bytes = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64BigEndian(bytes, number);
        _posts.TryTell(node, DevicePost.Cancel, bytes);
    }

    private CoapResult Find(CoapRequest request) =>
        DeviceWire.DeviceOf(request) is { IsEmpty: false } key && DeviceName.TryDecode(key) is { } name
            && _local.TryFind(name) is { } device
            ? DeviceWire.Wrap(_local.StatusOf(device))
            : CoapResults.NotFound();

    private async Task<CoapResult> ForgetAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        byte[] key = DeviceWire.DeviceOf(request).ToArray();
        return DeviceName.TryDecode(key) is { } name && await _local.TryForgetAsync(name, key, cancellationToken).ConfigureAwait(false)
            ? CoapResults.Deleted()
            : CoapResults.Status(CoapCode.ServiceUnavailable);
    }

    private async Task<CoapResult> ServeAsync(CoapRequest request, CancellationToken cancellationToken)
    {
        if (DeviceName.TryDecode(DeviceWire.DeviceOf(request)) is not { } name)
        {
            return CoapResults.BadRequest("The request lacks a device name.");
        }

        if (_local.TryFind(name) is not { } device)
        {
            return DeviceWire.Wrap((CoapDeviceException?)null);
        }

        (CoapNodeId, ulong) id = (_links.NodeOf(request), DeviceWire.NumberOf(request));
        CoapRequest asked = DeviceWire.Unwrap(request);
        using CancellationTokenSource stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        bool isKnown = _served.TryAdd(id, stop);
        try
        {
            return await device.TrySendAsync(asked, stop.Token).ConfigureAwait(false) is { } answer
                ? DeviceWire.Wrap(answer)
                : DeviceWire.Wrap((CoapDeviceException?)null);
        }
        catch (CoapDeviceAsleepException asleep)
            when (device.MayBeElsewhere && LocalDevice.IsHarmlessTwice(asked, asleep.IsOutcomeUnknown))
        {
            // The asking node looks for one that has it awake, and asks this one again if there is none.
            device.OnNotElsewhere();
            return DeviceWire.Wrap((CoapDeviceException?)null);
        }
        catch (CoapDeviceException exception)
        {
            return DeviceWire.Wrap(exception);
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            // No caller waits for it any longer.
            return CoapResults.Status(CoapCode.ServiceUnavailable);
        }
        finally
        {
            if (isKnown)
            {
                _served.TryRemove(KeyValuePair.Create(id, stop));
            }
        }
    }

    private void OnPost(CoapNodeId from, ReadOnlySpan<byte> item)
    {
        if (item.IsEmpty)
        {
            return;
        }

        ReadOnlySpan<byte> rest = item[1..];
        switch ((DevicePost)item[0])
        {
            case DevicePost.Cancel when rest.Length == sizeof(ulong):
                if (_served.TryGetValue((from, BinaryPrimitives.ReadUInt64BigEndian(rest)), out CancellationTokenSource? stop))
                {
                    _ = CancelAsync(stop);
                }

                break;
            case DevicePost.Heard or DevicePost.Left or DevicePost.Moved or DevicePost.Doubted or DevicePost.Answers
                when TryReadSession(rest, out ReadOnlySpan<byte> session)
                && DeviceName.TryDecode(rest[(SessionHead + session.Length)..]) is { } name:
                OnSession((DevicePost)item[0], name, rest[(SessionHead + session.Length)..], session,
                    new DeviceRecord(DeviceWire.TimeOf(rest) ?? DateTimeOffset.UnixEpoch, from));
                break;
            case DevicePost.Came when rest.Length > sizeof(long) && DeviceName.TryDecode(rest[sizeof(long)..]) is { } name:
                OnCame(name, DeviceWire.TimeOf(rest) ?? DateTimeOffset.UnixEpoch, from);
                break;
            case DevicePost.Forget when DeviceName.TryDecode(rest) is { } name:
                _places.TryRemove(name, out _);
                _local.Remove(name);
                break;
            case DevicePost.Watch when DeviceName.TryDecode(rest) is { } name:
                Watch(name, from);
                break;
            case DevicePost.Awake when DeviceName.TryDecode(rest) is { } name:
                _waits.Tell(name);
                break;
            default:
                // From a later version.
                break;
        }
    }

    private static bool TryReadSession(ReadOnlySpan<byte> rest, out ReadOnlySpan<byte> session)
    {
        bool isWhole = rest.Length > SessionHead && rest.Length > SessionHead + rest[sizeof(long)];
        session = isWhole ? rest.Slice(SessionHead, rest[sizeof(long)]) : default;
        return isWhole;
    }

    private void OnSession(DevicePost post, string name, ReadOnlySpan<byte> key, ReadOnlySpan<byte> session, DeviceRecord record)
    {
        switch (post)
        {
            case DevicePost.Left:
                _local.OnLeftElsewhere(name, key, record);
                return;
            case DevicePost.Doubted:
                _local.OnDoubtedElsewhere(name, session, record.Node);
                return;
            case DevicePost.Answers:
                _local.OnAnswersElsewhere(name, session);
                break;
            case DevicePost.Heard:
                _local.OnHeardElsewhere(name, key, session, record);
                break;
            default:
                _local.OnMovedElsewhere(name, record.LastHeard, session, record.Node);
                break;
        }

        Place(name, record.Node);
        _waits.Tell(name);
    }

    // The device has moved to another node, regardless of what this one remembers or still has of it.
    private void OnCame(string name, DateTimeOffset at, CoapNodeId node)
    {
        Place(name, node);
        _local.OnCameElsewhere(name, at);
        _waits.Tell(name);
    }

    private void Place(string name, CoapNodeId node)
    {
        if (_places.ContainsKey(name))
        {
            _places[name] = node;
        }
    }

    // As many as there are devices and nodes here.
    private void Watch(string name, CoapNodeId from)
    {
        if (_local.TryFind(name) is { } device && _watched.TryAdd((name, from), 0))
        {
            _ = WatchAsync(device, from);
        }
    }

    private async Task WatchAsync(LocalDevice device, CoapNodeId from)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await ((Task)device.WhenAwakeAsync(_stop.Token)).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        _watched.TryRemove((device.Name, from), out _);
        _posts.TryTell(from, DevicePost.Awake, device.Key.Span);
    }

    private static async Task CancelAsync(CancellationTokenSource stop)
    {
        try
        {
            await stop.CancelAsync().ConfigureAwait(false);
        }
        catch (ObjectDisposedException)
        {
            // It has just been answered.
        }
    }
}
