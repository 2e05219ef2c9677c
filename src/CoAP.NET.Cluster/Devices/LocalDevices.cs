using System.Collections.Concurrent;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Writing;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Devices;

/// <summary>
/// The devices of this node by name, as many as its servers have sessions and connections. The endpoints report new and ended ones; single
/// messages are not recorded here. Thread-safe.
/// </summary>
internal sealed class LocalDevices(
    CoapCluster cluster, CoapDeviceOptions options, DeviceRecords records, TimeProvider time, ILogger logger) : IDisposable
{
    private static readonly TimeSpan s_notePeriod = TimeSpan.FromMinutes(15);
    private static readonly TimeSpan s_pause = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<string, LocalDevice> _byName = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<CoapPeer, LocalDevice> _byPeer = new();
    private readonly ConcurrentDictionary<string, TaskCompletionSource> _waiting = new(StringComparer.Ordinal);
    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();
    private ITimer? _timer;

    /// <summary>A device came here with a session or connection; raised outside of locks.</summary>
    public event Action<LocalDevice>? Arrived;

    public int Count => _byName.Count;

    /// <summary>A copy of the list.</summary>
    public IReadOnlyList<LocalDevice> All => [.. _byName.Values];

    /// <summary>Returns a device of this node; null if it has none of this name.</summary>
    public LocalDevice? TryFind(string name) => _byName.GetValueOrDefault(name);

    /// <summary>Identifies the current and future peers of an endpoint as devices.</summary>
    public void Attach(CoapEndpoint endpoint)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_stop.IsCancellationRequested, cluster);
            _timer ??= time.CreateTimer(static devices => ((LocalDevices)devices!).NoteAll(), this, s_notePeriod, s_notePeriod);
        }

        endpoint.PeerConnected += (_, peer) => OnConnected(peer);
        endpoint.PeerDisconnected += (_, end) => OnGone(end.Peer);
        foreach (CoapPeer peer in endpoint.ConnectedPeers)
        {
            OnConnected(peer);
        }
    }

    public void Add(string name, CoapPeer peer)
    {
        if (!_byPeer.TryGetValue(peer, out LocalDevice? same) || same.Name != name)
        {
            Add(new LocalDevice(cluster, name, peer, options, time));
        }
    }

    /// <summary>Registers a peer as the device when it next speaks: the device is where it speaks.</summary>
    /// <param name="device">A session of the device that another one replaced, which may be the wrong choice.</param>
    public async Task AddWhenHeardAsync(LocalDevice device)
    {
        // From here on, whatever else the caller does first.
        DateTimeOffset before = device.LastHeard;
        Task heard = device.Peer.WhenHeardAsync(_stop.Token);

        // The caller may hold the lock.
        await heard.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);

        // Bounds the changes of a device that speaks in two sessions.
        await Task.Delay(s_pause, time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        if (device.LastHeard > before && IsThere(device.Peer) && !_stop.IsCancellationRequested)
        {
            Add(device.Name, device.Peer);
        }
    }

    /// <summary>Waits until a device is here; may return early.</summary>
    public async Task WhenHereAsync(string name, CancellationToken cancellationToken)
    {
        TaskCompletionSource waiting = _waiting.GetOrAdd(
            name, static _ => new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously));
        try
        {
            // It may have come before this caller waited.
            if (TryFind(name) is null)
            {
                await waiting.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            // Others that wait look again, and wait again.
            Wake(name);
        }
    }

    public CoapDeviceStatus StatusOf(LocalDevice device) => new(
        device.Name, device.IsAsleep ? CoapDevicePresence.Asleep : CoapDevicePresence.Awake, device.LastHeard, $"{cluster.Self.Id}");

    public void Remove(string name)
    {
        if (_byName.TryGetValue(name, out LocalDevice? device))
        {
            Remove(device);
        }
    }

    public void Remove(LocalDevice device)
    {
        _byName.TryRemove(KeyValuePair.Create(device.Name, device));
        _byPeer.TryRemove(KeyValuePair.Create(device.Peer, device));
        device.End();
    }

    /// <summary>Notes the latest messages of all devices in the store.</summary>
    public void NoteAll()
    {
        foreach (LocalDevice device in _byName.Values)
        {
            if (!device.IsNotedWhole(records.FenceOf(device.Name)))
            {
                Note(device, isHint: device.IsNoted);
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            if (_stop.IsCancellationRequested)
            {
                return;
            }

            _stop.Cancel();
            _timer?.Dispose();
        }

        NoteAll();
    }

    private static bool IsThere(CoapPeer peer) => peer.IsConnected || !peer.Disconnected.IsCancellationRequested;

    private void Add(LocalDevice device)
    {
        lock (_gate)
        {
            LocalDevice? before = _byName.GetValueOrDefault(device.Name);
            if (device.HasMoved && before is not null && before.Peer != device.Peer && IsThere(before.Peer))
            {
                // An old session of a device with a newer one may have come with its slot, for example after a lost address. Messages of
                // the old session may have arrived after the new one began, so the other one may be right.
                bool isOlder = before.LastHeard > device.ArrivedAt;
                _ = AddWhenHeardAsync(isOlder ? device : before);
                if (isOlder)
                {
                    return;
                }
            }

            if (before is not null)
            {
                Remove(before);
            }

            if (_byPeer.TryGetValue(device.Peer, out LocalDevice? other))
            {
                Remove(other);
            }

            _byPeer[device.Peer] = device;
            _byName[device.Name] = device;
        }

        Arrived?.Invoke(device);
        if (!IsThere(device.Peer))
        {
            // It left before it was known here.
            OnGone(device.Peer);
        }

        Note(device, isHint: false);
        Wake(device.Name);
    }

    private void Wake(string name)
    {
        if (_waiting.TryRemove(name, out TaskCompletionSource? waiting))
        {
            waiting.TrySetResult();
        }
    }

    private void OnConnected(CoapPeer peer)
    {
        string? name = null;
        try
        {
            name = options.NameOf?.Invoke(peer);
        }
#pragma warning disable CA1031 // the peer is served regardless of the exception
        catch (Exception exception)
#pragma warning restore CA1031
        {
            ClusterLog.DeviceNotNamed(logger, peer.ToString(), exception);
        }

        if (name is null)
        {
            return;
        }

        if (DeviceName.TryEncode(name) is not null)
        {
            Add(name, peer);
        }
        else
        {
            ClusterLog.DeviceMisnamed(logger, peer.ToString(), ICoapDevices.MaxNameLength);
        }
    }

    private void OnGone(CoapPeer peer)
    {
        if (_byPeer.TryGetValue(peer, out LocalDevice? device))
        {
            Remove(device);
            Note(device, isHint: true);
        }
    }

    private void Note(LocalDevice device, bool isHint)
    {
        DateTimeOffset heard = device.LastHeard;
        CoapFencingToken fence = records.FenceOf(device.Name);
        if (records.TryNote(device.Name, fence, new DeviceRecord(heard, cluster.Self.Id), isHint))
        {
            device.OnNoted(heard, fence);
        }
    }
}
