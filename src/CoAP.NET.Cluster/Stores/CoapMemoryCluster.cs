using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Stores;

/// <summary>The state of a cluster in the memory of this process, for tests and development. Thread-safe.</summary>
/// <remarks>
/// Each node gets its own <see cref="ICoapClusterStore"/> from <see cref="Open"/>. Leases and lifetimes follow the
/// <see cref="TimeProvider"/>, so they can pass in virtual time.
/// </remarks>
/// <param name="timeProvider">The clock of leases and lifetimes; null for the system clock.</param>
internal sealed class CoapMemoryCluster(TimeProvider? timeProvider = null)
{
    private readonly TimeProvider _time = timeProvider ?? TimeProvider.System;
    private readonly Lock _gate = new();
    private readonly Dictionary<CoapRecordKey, MemoryRecord> _records = [];
    private readonly Dictionary<CoapNodeId, MemoryLease> _leases = [];
    private readonly List<CoapClusterMapFeed> _feeds = [];
    private CoapClusterSlotMap _map = CoapClusterSlotMap.Empty;
    private bool _isAway;

    /// <summary>
    /// Whether it simulates an unreachable store, for tests of applications: every call fails with
    /// <see cref="CoapClusterStoreFault.Unavailable"/>, and leases still expire.
    /// </summary>
    public bool IsAway
    {
        get
        {
            lock (_gate)
            {
                return _isAway;
            }
        }

        set
        {
            lock (_gate)
            {
                _isAway = value;
                ShowLocked();
            }
        }
    }

    /// <summary>The number of records, including those whose lifetime has ended.</summary>
    public int Count
    {
        get
        {
            lock (_gate)
            {
                return _records.Count;
            }
        }
    }

    /// <summary>Creates the store of one node.</summary>
    /// <returns>The store. Disposing of it releases the lease of the node and keeps everything else.</returns>
    public ICoapClusterStore Open() => new MemoryClusterStore(this);

    /// <summary>Saves what the store has, for <see cref="GoBack"/>.</summary>
    internal MemoryStoreSnapshot Save()
    {
        lock (_gate)
        {
            return new MemoryStoreSnapshot(_map, new(_records));
        }
    }

    /// <summary>Loses the changes since a backup, and notices that, as another store does when a standby without them takes over.</summary>
    /// <param name="backup">The backup.</param>
    /// <param name="isNoticed">False for a store with the same data that lost nothing.</param>
    internal void GoBack(MemoryStoreSnapshot backup, bool isNoticed = true)
    {
        lock (_gate)
        {
            _records.Clear();
            foreach ((CoapRecordKey key, MemoryRecord record) in backup.Records)
            {
                _records.Add(key, record);
            }

            _map = isNoticed ? backup.Map.AfterLoss(_map.Version, _time.GetUtcNow()) : backup.Map;
            ShowLocked();
        }
    }

    internal void Add(CoapClusterMapFeed feed)
    {
        lock (_gate)
        {
            _feeds.Add(feed);
            if (!_isAway)
            {
                feed.Publish(_map);
            }
        }
    }

    internal void Leave(CoapClusterMapFeed feed, CoapNodeId node)
    {
        lock (_gate)
        {
            _feeds.Remove(feed);
            if (_leases.Remove(node, out MemoryLease? lease))
            {
                lease.Timer.Dispose();
                ShowLocked();
            }
        }
    }

    internal CoapClusterSlotMap Join(CoapClusterNode self, TimeSpan duration)
    {
        lock (_gate)
        {
            ThrowIfAwayLocked();
            if (_leases.Remove(self.Id, out MemoryLease? old))
            {
                old.Timer.Dispose();
            }

            MemoryLease lease = new(self);
            _leases.Add(self.Id, lease);
            lease.Timer = _time.CreateTimer(_ => End(lease), null, duration, Timeout.InfiniteTimeSpan);
            ShowLocked();
            return _map;
        }
    }

    internal bool TryChange(CoapClusterSlotMap wanted)
    {
        lock (_gate)
        {
            ThrowIfAwayLocked();
            if (wanted.Version != _map.Version + 1)
            {
                return false;
            }

            _map = wanted;
            ShowLocked();
            return true;
        }
    }

    internal CoapWriteResult Write(ReadOnlySpan<CoapRecordWrite> batch)
    {
        lock (_gate)
        {
            ThrowIfAwayLocked();
            CoapFencingToken[] newest = [.. CoapSlot.All.Select(slot => _map[slot].Fence)];
            CoapWriteResult result = CoapWriteResult.ByFences(batch, newest);
            DateTimeOffset now = _time.GetUtcNow();
            for (int i = 0; i < batch.Length; i++)
            {
                CoapRecordWrite change = batch[i];
                if (result[i] != CoapWriteOutcome.Written)
                {
                    continue;
                }

                if (change.IsRemoval)
                {
                    _records.Remove(change.Key);
                }
                else
                {
                    _records[change.Key] = new MemoryRecord(change.Fence, change.State.ToArray(),
                        change.Lifetime == Timeout.InfiniteTimeSpan ? DateTimeOffset.MaxValue : now + change.Lifetime);
                }
            }

            return result;
        }
    }

    internal IReadOnlyList<CoapRecord> Read(CoapRecordKind kind, CoapSlot slot)
    {
        lock (_gate)
        {
            ThrowIfAwayLocked();
            DateTimeOffset now = _time.GetUtcNow();
            return [.. _records.Where(entry => entry.Key.Kind == kind && entry.Key.Slot == slot && entry.Value.Ends > now)
                .Select(entry => entry.Value.ToRecord(entry.Key, now))];
        }
    }

    internal CoapRecord? Find(CoapRecordKey key)
    {
        lock (_gate)
        {
            ThrowIfAwayLocked();
            DateTimeOffset now = _time.GetUtcNow();
            return _records.TryGetValue(key, out MemoryRecord? record) && record.Ends > now ? record.ToRecord(key, now) : null;
        }
    }

    internal int RemoveExpired()
    {
        lock (_gate)
        {
            ThrowIfAwayLocked();
            DateTimeOffset now = _time.GetUtcNow();
            CoapRecordKey[] ended = [.. _records.Where(entry => entry.Value.Ends <= now).Select(static entry => entry.Key)
                .Take(RecordBatchValidator.MaxCount)];
            foreach (CoapRecordKey key in ended)
            {
                _records.Remove(key);
            }

            return ended.Length;
        }
    }

    private void End(MemoryLease lease)
    {
        lock (_gate)
        {
            // It may have been renewed while the timer fired.
            if (_leases.TryGetValue(lease.Node.Id, out MemoryLease? present) && present == lease)
            {
                _leases.Remove(lease.Node.Id);
                lease.Timer.Dispose();
                ShowLocked();
            }
        }
    }

    private void ShowLocked()
    {
        CoapSlotOwner[] owners = [.. CoapSlot.All.Select(slot => _map[slot])];
        _map = new CoapClusterSlotMap(_map.Version, _leases.Values.Select(static lease => lease.Node), owners, _map.StaleFence);
        if (_isAway)
        {
            return;
        }

        foreach (CoapClusterMapFeed feed in _feeds)
        {
            feed.Publish(_map);
        }
    }

    private void ThrowIfAwayLocked()
    {
        if (_isAway)
        {
            throw new CoapClusterStoreException(CoapClusterStoreFault.Unavailable, "The store in memory simulates a failure (IsAway).");
        }
    }
}

/// <summary>The contents of a store in memory at some time; see <see cref="CoapMemoryCluster.GoBack"/>.</summary>
internal sealed record MemoryStoreSnapshot(CoapClusterSlotMap Map, Dictionary<CoapRecordKey, MemoryRecord> Records);

/// <summary>A node that is live until its timer fires.</summary>
internal sealed class MemoryLease(CoapClusterNode node)
{
    public CoapClusterNode Node { get; } = node;

    public ITimer Timer { get; set; } = null!;
}

/// <summary>A record in memory, with its end.</summary>
internal sealed record MemoryRecord(CoapFencingToken Fence, byte[] State, DateTimeOffset Ends)
{
    public CoapRecord ToRecord(CoapRecordKey key, DateTimeOffset now) =>
        new(key, Fence, State.ToArray(), Ends == DateTimeOffset.MaxValue ? Timeout.InfiniteTimeSpan : Ends - now);
}
