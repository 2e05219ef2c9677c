using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster;

/// <summary>
/// The devices of this node by name, as many as its servers have sessions and connections. The endpoints report new and ended ones; single
/// messages are not recorded here. Thread-safe.
/// </summary>
internal sealed class LocalDevices(
    CoapCluster cluster, CoapDeviceOptions options, DeviceRecords records, DevicePosts posts, DeviceWaits waits, TimeProvider time,
    ILogger logger) : IDisposable
{
    private const int MaxLate = 4_096;
    private static readonly TimeSpan s_notePeriod = TimeSpan.FromMinutes(15);

    // The tolerated difference between the clocks of nodes.
    private static readonly TimeSpan s_clocks = TimeSpan.FromMinutes(1);

    private readonly ConcurrentDictionary<string, LocalDevice> _byName = new(StringComparer.Ordinal);
    private readonly ConcurrentDictionary<CoapPeer, LocalDevice> _byPeer = new();
    private readonly ConcurrentDictionary<string, (byte[] Key, DeviceRecord Record)> _late = new(StringComparer.Ordinal);
    private readonly DeviceDoubts _doubts = new(posts);
    private readonly Lock _gate = new();
    private ITimer? _timer;
    private bool _isDisposed;

    /// <summary>A device came here with a new session or connection; raised outside of locks.</summary>
    public event Action<LocalDevice>? Came;

    /// <summary>The current number.</summary>
    public int Count => _byName.Count;

    /// <summary>A copy of the list.</summary>
    public IReadOnlyList<LocalDevice> All => [.. _byName.Values];

    /// <summary>Returns a device of this node; null if it has none of this name.</summary>
    /// <param name="name">The name.</param>
    public LocalDevice? TryFind(string name) => _byName.GetValueOrDefault(name);

    /// <summary>Identifies the current and future peers of an endpoint as devices.</summary>
    /// <param name="endpoint">The endpoint.</param>
    public void Attach(CoapEndpoint endpoint)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, cluster);
            _timer ??= time.CreateTimer(static devices => ((LocalDevices)devices!).NoteAll(), this, s_notePeriod, s_notePeriod);
        }

        endpoint.PeerConnected += (_, peer) => OnConnected(peer);
        endpoint.PeerDisconnected += (_, end) => OnGone(end.Peer);
        foreach (CoapPeer peer in endpoint.ConnectedPeers)
        {
            OnConnected(peer);
        }
    }

    /// <summary>Registers a peer as a device.</summary>
    /// <param name="name">The name of the device.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="peer">The peer.</param>
    public void Add(string name, byte[] key, CoapPeer peer)
    {
        if (!_byPeer.TryGetValue(peer, out LocalDevice? same) || same.Name != name)
        {
            Add(Make(name, key, peer), isHeard: false);
        }
    }

    /// <summary>Handles a device that came to another node: its session here is older, even if its end is not known yet.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="at">The time.</param>
    public void OnCameElsewhere(string name, DateTimeOffset at)
    {
        if (_byName.TryGetValue(name, out LocalDevice? device) && device.CameAt < at)
        {
            Remove(device);
        }
    }

    /// <summary>
    /// Handles a session of a device that moved to another node with its slot. If the device has a newer one here, the other node is
    /// notified.
    /// </summary>
    /// <param name="name">Its name.</param>
    /// <param name="at">The time of the last message in that session.</param>
    /// <param name="session">The id of the session.</param>
    /// <param name="node">The other node.</param>
    public void OnMovedElsewhere(string name, DateTimeOffset at, ReadOnlySpan<byte> session, CoapNodeId node)
    {
        if (!_byName.TryGetValue(name, out LocalDevice? device))
        {
            return;
        }

        if (IsHere(device, session))
        {
            // Either it came from there meanwhile, or this node does not know yet that it has lost it.
            if (device.Place.HasMoved)
            {
                Remove(device);
            }

            return;
        }

        // For two moved sessions only clocks tell which is newer. For one opened here the time is known, but messages of an old session may
        // arrive after it.
        TimeSpan doubt = device.HasMoved ? s_clocks : TimeSpan.Zero;
        if (device.CameAt - doubt > at)
        {
            posts.TryTell(node, DevicePost.Came, device.Key.Span, device.CameAt);
        }
        else if (device.CameAt + s_clocks < at)
        {
            Remove(device);
        }
        else
        {
            posts.TryTellOfSession(node, DevicePost.Doubted, device.Key.Span, device.LastHeard, device.Peer.DurableId.Span);
            Ask(device, session, node);
        }
    }

    /// <summary>Handles another node's session of a device that may be newer or older than the one here.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="session">The id of the session there.</param>
    /// <param name="node">The other node.</param>
    public void OnDoubtedElsewhere(string name, ReadOnlySpan<byte> session, CoapNodeId node)
    {
        if (_byName.TryGetValue(name, out LocalDevice? device) && !IsHere(device, session))
        {
            Ask(device, session, node);
        }
    }

    /// <summary>Handles a device that answered at another node, in a session that competed with one here.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="session">The id of the session here.</param>
    public void OnAnswersElsewhere(string name, ReadOnlySpan<byte> session)
    {
        if (_byName.TryGetValue(name, out LocalDevice? device) && IsHere(device, session))
        {
            Remove(device);
        }
    }

    /// <summary>Handles a message of a device at another node.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="session">The id of its session; empty for none.</param>
    /// <param name="record">The time and the node.</param>
    public void OnHeardElsewhere(string name, ReadOnlySpan<byte> key, ReadOnlySpan<byte> session, DeviceRecord record)
    {
        // That node may have heard it until its session came here, with a clock ahead of this one.
        if (_byName.TryGetValue(name, out LocalDevice? device) && !IsHere(device, session))
        {
            OnCameElsewhere(name, record.LastHeard - s_clocks);
        }

        OnLeftElsewhere(name, key, record);
    }

    /// <summary>
    /// Handles a device that has left another node. This node may have taken over its session meanwhile, for example because that node did
    /// not reach the store.
    /// </summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="record">The time and the node.</param>
    public void OnLeftElsewhere(string name, ReadOnlySpan<byte> key, DeviceRecord record)
    {
        if (!records.TryNote(key, record, isHint: false) && _late.Count < MaxLate)
        {
            // The other node may know before this one that the slot is here.
            _late[name] = (key.ToArray(), record);
        }
    }

    /// <summary>Returns the status of a device of this node.</summary>
    /// <param name="device">The device.</param>
    public CoapDeviceStatus StatusOf(LocalDevice device) => new(
        device.Name, device.IsAsleep ? CoapDevicePresence.Asleep : CoapDevicePresence.Awake, device.LastHeard, cluster.Self.Id);

    /// <summary>Removes a name.</summary>
    /// <param name="name">The name.</param>
    public void Remove(string name)
    {
        if (_byName.TryGetValue(name, out LocalDevice? device))
        {
            Remove(device);
        }
    }

    /// <summary>Removes a session of a device.</summary>
    /// <param name="device">The session.</param>
    public void Remove(LocalDevice device)
    {
        _byName.TryRemove(KeyValuePair.Create(device.Name, device));
        _byPeer.TryRemove(KeyValuePair.Create(device.Peer, device));
        device.End();
    }

    /// <summary>Forgets a device whose name is in a slot of this node, and waits for the store.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="key">The bytes of the name.</param>
    /// <param name="cancellationToken">Stops waiting.</param>
    /// <returns>False if the slot is not here.</returns>
    public Task<bool> TryForgetAsync(string name, byte[] key, CancellationToken cancellationToken)
    {
        Remove(name);
        return records.TryRemoveAsync(key, cancellationToken);
    }

    /// <summary>Notes the latest messages of all devices in the store.</summary>
    public void NoteAll()
    {
        CoapClusterMap map = cluster.Map;
        foreach ((string name, (byte[] key, DeviceRecord record)) in _late)
        {
            if (records.TryNote(key, record, isHint: false) || cluster.Map[CoapSlot.OfName(key)].Node != cluster.Self.Id)
            {
                _late.TryRemove(name, out _);
            }
        }

        foreach (LocalDevice device in _byName.Values)
        {
            if (!device.IsNotedWhole(map[CoapSlot.OfName(device.Key.Span)].Fence))
            {
                Note(device, isHint: device.IsNoted);
            }
        }
    }

    public void Dispose()
    {
        lock (_gate)
        {
            if (_isDisposed)
            {
                return;
            }

            _isDisposed = true;
            _timer?.Dispose();
        }

        NoteAll();
    }

    private void Add(LocalDevice device, bool isHeard)
    {
        lock (_gate)
        {
            // An old session of a device with a newer one may have come with its slot, for example after a lost address.
            if (device.HasMoved && _byName.TryGetValue(device.Name, out LocalDevice? there) && IsThere(there.Peer))
            {
                if (there.LastHeard > device.CameAt)
                {
                    return;
                }

                if (!isHeard && device.CameAt - there.LastHeard < s_clocks)
                {
                    // Messages of the old session may have arrived after the new one began.
                    _ = ChooseAsync(there, device);
                    return;
                }
            }

            if (_byPeer.TryRemove(device.Peer, out LocalDevice? other))
            {
                _byName.TryRemove(KeyValuePair.Create(other.Name, other));
                other.End();
            }

            if (_byName.TryRemove(device.Name, out LocalDevice? before))
            {
                _byPeer.TryRemove(KeyValuePair.Create(before.Peer, before));
                before.End();
            }

            _byPeer[device.Peer] = device;
            _byName[device.Name] = device;
        }

        Came?.Invoke(device);
        if (!IsThere(device.Peer))
        {
            // It left before it was known here.
            OnGone(device.Peer);
        }

        Note(device, isHint: false);

        // Also nodes with an older session of it.
        if (device.HasMoved)
        {
            posts.TellMoved(device.Key.Span, device.CameAt, device.Peer.DurableId.Span);
        }
        else
        {
            posts.TellAll(DevicePost.Came, device.Key.Span, device.CameAt);
        }

        waits.Tell(device.Name);
    }

    // Chooses the session in which the device speaks first; without a message, the one with the latest message.
    private async Task ChooseAsync(LocalDevice there, LocalDevice device)
    {
        // The caller holds the lock.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        await Task.WhenAny(there.IsHeardAsync(), device.IsHeardAsync()).ConfigureAwait(false);
        if (IsThere(device.Peer))
        {
            // Uses the latest message; the device may have a third session meanwhile.
            Add(Make(device.Name, device.Key.ToArray(), device.Peer), isHeard: true);
        }
    }

    private LocalDevice Make(string name, byte[] key, CoapPeer peer) =>
        new(name, key, peer, new SessionPlace(cluster, peer), cluster.Counts, options, time);

    private static bool IsHere(LocalDevice device, ReadOnlySpan<byte> session) =>
        session.Length > 0 && device.Peer.DurableId.Span.SequenceEqual(session);

    private static bool IsThere(CoapPeer peer) => peer.IsConnected || !peer.Disconnected.IsCancellationRequested;

    private void Ask(LocalDevice device, ReadOnlySpan<byte> session, CoapNodeId node)
    {
        device.OnPerhapsElsewhere();
        _doubts.Begin(device, node, session);
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

        if (DeviceName.TryEncode(name) is { } key)
        {
            Add(name, key, peer);
        }
        else
        {
            ClusterLog.DeviceMisnamed(logger, peer.ToString(), ICoapDevices.MaxNameLength);
        }
    }

    private void OnGone(CoapPeer peer)
    {
        if (_byPeer.TryRemove(peer, out LocalDevice? device))
        {
            _byName.TryRemove(KeyValuePair.Create(device.Name, device));
            device.End();
            Note(device, isHint: true, DevicePost.Left);
        }
    }

    private void Note(LocalDevice device, bool isHint, DevicePost post = DevicePost.Heard)
    {
        DateTimeOffset heard = device.LastHeard;
        CoapFence fence = cluster.Map[CoapSlot.OfName(device.Key.Span)].Fence;
        if (records.TryNote(device.Key.Span, new DeviceRecord(heard, cluster.Self.Id), isHint)
            || posts.TryTellHome(post, device.Key.Span, heard, device.Peer.DurableId.Span))
        {
            device.OnNoted(heard, fence);
        }
    }
}
