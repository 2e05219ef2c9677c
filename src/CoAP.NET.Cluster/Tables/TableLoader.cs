using System.Collections.Concurrent;

namespace CoAP.NET.Cluster;

/// <summary>
/// Loads the entries of slots from the store: of all slots at the start, and of slots that this node gets. It compares previously received
/// entries of such a slot with the store, and keeps those that the store lacks. Thread-safe.
/// </summary>
internal sealed class TableLoader(CoapCluster cluster, CoapRecordKind kind, ClusterTableContents contents) : IAsyncDisposable
{
    // The number of slots to read in parallel. A store has few connections for reads, and shares them.
    private static readonly int s_readers = Math.Min(4, Environment.ProcessorCount + 1);
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();
    private Task _loading = Task.CompletedTask;
    private bool _isStarted;
    private bool _isStopped;

    /// <summary>Loads all slots, and from then on those that this node gets.</summary>
    public Task StartAsync()
    {
        lock (_gate)
        {
            if (!_isStarted && !_isStopped)
            {
                _isStarted = true;
                _loading = LoadAfterAsync(_loading);
            }

            return _loading;
        }
    }

    /// <summary>Handles a change of the map: this node gives up decisions about lost slots, and loads new ones.</summary>
    public void Update()
    {
        DropLost();
        lock (_gate)
        {
            if (_isStarted && !_isStopped)
            {
                _loading = LoadAfterAsync(_loading);
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        Task loading;
        lock (_gate)
        {
            _isStopped = true;
            loading = _loading;
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await loading.ConfigureAwait(false);
        _stop.Dispose();
    }

    private async Task LoadAfterAsync(Task before)
    {
        await before.ConfigureAwait(ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.SuppressThrowing);
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                // Decrypting the records takes longer than reading them, and uses several processors.
                ParallelOptions parallel = new() { MaxDegreeOfParallelism = s_readers, CancellationToken = _stop.Token };
                ConcurrentBag<List<TableRecord>> lists = [];
                await Parallel.ForEachAsync(WantedInTurn(), parallel, async (one, cancellationToken) =>
                {
                    try
                    {
                        List<TableRecord> records = lists.TryTake(out List<TableRecord>? used) ? used : [];
                        await LoadAsync(one.Slot, one.Turn, records, cancellationToken).ConfigureAwait(false);
                        records.Clear();
                        lists.Add(records);
                    }
                    finally
                    {
                        one.Done.TrySetResult();
                    }
                }).ConfigureAwait(false);
                return;
            }
            catch (Exception exception) when (exception is CoapClusterStoreException or OperationCanceledException
                or ObjectDisposedException)
            {
                // The cluster reports the failure.
            }

            await Task.Delay(s_retry, contents.Time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    // Gives up slots of another node.
    private void DropLost()
    {
        foreach (CoapSlot number in CoapSlot.All)
        {
            ClusterTableSlot slot = contents[number];
            CoapFence fence = cluster.FenceOf(number);
            lock (slot.Gate)
            {
                slot.IsOwned &= slot.Fence == fence;
            }
        }
    }

    // Each with a task that completes when the previous one is done.
    private IEnumerable<(CoapSlot Slot, Task Turn, TaskCompletionSource Done)> WantedInTurn()
    {
        Task turn = Task.CompletedTask;
        foreach (CoapSlot slot in CoapSlot.All.Where(IsWanted))
        {
            TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
            yield return (slot, turn, done);
            turn = done.Task;
        }
    }

    private bool IsWanted(CoapSlot number)
    {
        ClusterTableSlot slot = contents[number];
        CoapFence fence = cluster.FenceOf(number);
        lock (slot.Gate)
        {
            return fence.IsSet ? fence != slot.Released && !(slot.IsOwned && slot.Fence == fence) : !slot.IsLoaded;
        }
    }

    private async Task LoadAsync(CoapSlot number, Task turn, List<TableRecord> records, CancellationToken cancellationToken)
    {
        CoapFence fence = cluster.FenceOf(number);
        await foreach (CoapRecord record in cluster.Store.ReadAsync(kind, number, cancellationToken).ConfigureAwait(false))
        {
            if (TableRecord.TryRead(record) is { } read)
            {
                records.Add(read);
            }
        }

        // Slots are read in parallel and applied one after the other: rules that sort by key then always append.
        await turn.WaitAsync(cancellationToken).ConfigureAwait(false);
        ClusterTableSlot slot = contents[number];
        lock (slot.Gate)
        {
            if (fence.IsSet && cluster.FenceOf(number) == fence && fence != slot.Released)
            {
                TakeOver(slot, fence, records);
            }
            else if (!slot.Fence.IsSet)
            {
                // Valid until the owner reports later changes.
                foreach (TableRecord record in records)
                {
                    Put(slot, record, record.Before + 1);
                }
            }

            slot.IsLoaded = true;
        }

        cluster.Tables.OnMoved(kind);
    }

    // Requires the gate.
    private void TakeOver(ClusterTableSlot slot, CoapFence fence, List<TableRecord> records)
    {
        bool hasHeard = slot.Fence.IsSet;
        slot.Begin(fence, records.Count == 0 ? 0 : records.Max(static record => record.Before) + 1);
        HashSet<int>? found = slot.Entries.Count == 0 ? null : new(records.Count);
        foreach (TableRecord record in records)
        {
            int index = slot.Entries.Find(record.Key);
            if (index == TableEntries.None)
            {
                Put(slot, record, ++slot.Number);
                index = slot.Entries.Newest;
            }
            else
            {
                Compare(slot, index, record, hasHeard);
            }

            found?.Add(index);
        }

        List<int> gone = [];
        for (int index = slot.Entries.Oldest; index != TableEntries.None; index = slot.Entries[index].Newer)
        {
            if (found?.Contains(index) == false)
            {
                gone.Add(index);
            }
        }

        // The store had confirmed the first value of each entry. Missing entries were therefore removed, or have expired.
        gone.ForEach(index => contents.RemoveNext(slot, index, slot.Entries[index].Expires <= contents.Now));
        contents.Own(slot);
        cluster.Counts.Add(ClusterMetric.TableSlotsTaken);
    }

    private void Compare(ClusterTableSlot slot, int index, in TableRecord record, bool hasHeard)
    {
        ref TableEntry entry = ref slot.Entries[index];
        if (entry.Version == record.Version && entry.Value.Span.SequenceEqual(record.Value))
        {
            entry.IsDurable = true;
            slot.Entries.SetExpires(index, contents.EndOf(record.Lifetime));
        }
        else if (hasHeard && !entry.IsDurable && entry.Number > record.Before)
        {
            // The previous owner reported it, but could not write it.
            contents.WriteLater(slot, index);
        }
        else
        {
            Put(slot, record, ++slot.Number);
        }
    }

    private void Put(ClusterTableSlot slot, in TableRecord record, long number) => contents.Put(
        slot, record.Data, record.KeyLength, contents.EndOf(record.Lifetime), number, record.Version, isDurable: true);
}
