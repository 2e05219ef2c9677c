using System.Collections.Concurrent;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Telemetry;
using CoAP.NET.Cluster.Writing;

namespace CoAP.NET.Cluster.Tables;

/// <summary>
/// Reads entries from the store: all slots at the start, slots that this node gets or whose owner changes, and single entries that other
/// nodes changed. Reads of one slot follow each other, so an entry never goes back to an older state. Thread-safe.
/// </summary>
internal sealed class TableLoader(
    CoapCluster cluster, CoapRecordKind kind, ClusterReplicatedTableContents contents, TableUpdatePublisher news, WakeSignal moved)
{
    // Slots of one round: what is urgent meanwhile waits for its end.
    private const int MostSlots = 64;

    // The number of slots to read in parallel. A store has few connections for reads, and shares them.
    private static readonly int s_readers = Math.Min(4, Environment.ProcessorCount + 1);
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly TaskCompletionSource _loaded = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int _unloaded = CoapSlot.Count;

    // The slot whose turn is next.
    private byte _next;

    /// <summary>Completes when all slots are loaded, or at the end.</summary>
    public Task Loaded => _loaded.Task;

    /// <summary>Handles a change of the map: this node gives up lost slots, and reads those that have another owner.</summary>
    public void OnMapChanged()
    {
        foreach (CoapSlot number in CoapSlot.All)
        {
            ClusterReplicatedTableSlot slot = contents[number];
            lock (slot.Gate)
            {
                // Under the lock, as the start calls it beside an event: an older map must not follow a newer one.
                CoapSlotOwner owner = cluster.Map[number];
                slot.IsOwned &= owner.Node == cluster.Self.Id && slot.Fence == owner.Fence;
                if (owner.Node != cluster.Self.Id)
                {
                    // The store accepts no more changes of the owner before.
                    slot.Follow(owner.Fence);
                }
            }
        }

        contents.ToRead.Wake();
    }

    /// <summary>Reads, until it is canceled.</summary>
    public async Task RunAsync(CancellationToken stop)
    {
        // Decrypting the records takes longer than reading them, and uses several processors.
        ParallelOptions parallel = new() { MaxDegreeOfParallelism = s_readers, CancellationToken = stop };
        while (!stop.IsCancellationRequested)
        {
            Task wake = contents.ToRead.Next;
            Reading[] readings = Next();
            try
            {
                await Parallel.ForEachAsync(readings, parallel, ReadAsync).ConfigureAwait(false);
            }
            catch (Exception exception) when (exception is CoapClusterStoreException or OperationCanceledException
                or ObjectDisposedException)
            {
                // The cluster reports the failure.
                await Task.Delay(s_retry, contents.Time, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            if (readings.Length == 0)
            {
                await wake.WaitAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }

        _loaded.TrySetResult();
    }

    // First what questions wait for, then all other slots in turn: changes without a pause must not delay the slots that are not read
    // yet. Of one round, what has just changed comes before whole slots. Each has a task that completes when the one before is done: slots
    // are read in parallel and shown one after the other, so that rules which sort by key always append.
    private Reading[] Next()
    {
        List<(int Urgency, CoapSlot Slot)> wanted = [];
        for (int i = 0; i < CoapSlot.Count; i++)
        {
            CoapSlot number = new((byte)(_next + i));
            ClusterReplicatedTableSlot slot = contents[number];
            CoapFencingToken fence = cluster.FenceOf(number);
            lock (slot.Gate)
            {
                int urgency = slot.IsTakenWith(fence) ? 0 : slot.IsOwned ? 3 : slot.ReadsAll ? 2 : slot.Wanted is not null ? 1 : 3;
                if (urgency < 3)
                {
                    wanted.Add((urgency, number));
                }
            }
        }

        (int Urgency, CoapSlot Slot)[] round = [.. wanted.OrderBy(static one => one.Urgency > 0).Take(MostSlots)];
        if (round is [.., (Urgency: > 0, Slot: var last)])
        {
            _next = (byte)(last.Number + 1);
        }

        Task turn = Task.CompletedTask;
        List<Reading> readings = [];
        foreach ((int urgency, CoapSlot slot) in round.OrderBy(static one => one.Urgency))
        {
            TaskCompletionSource done = new(TaskCreationOptions.RunContinuationsAsynchronously);
            readings.Add(new Reading(slot, urgency != 1, turn, done));
            turn = done.Task;
        }

        return [.. readings];
    }

    private async ValueTask ReadAsync(Reading reading, CancellationToken cancellationToken)
    {
        ClusterReplicatedTableSlot slot = contents[reading.Slot];
        CoapFencingToken fence = cluster.FenceOf(reading.Slot);
        CoapTableKey[]? keys;
        lock (slot.Gate)
        {
            keys = slot.BeginReading(reading.IsAll);
        }

        try
        {
            List<TableRecord> records = await (keys is null
                ? ReadAllAsync(reading.Slot, cancellationToken)
                : FindAsync(keys, cancellationToken)).ConfigureAwait(false);
            await reading.Turn.WaitAsync(cancellationToken).ConfigureAwait(false);
            lock (slot.Gate)
            {
                Show(reading.Slot, slot, keys, records, fence);
                slot.IsReading = false;
            }
        }
        catch
        {
            lock (slot.Gate)
            {
                (slot.IsReading, slot.ReadsAll) = (false, true);
            }

            throw;
        }
        finally
        {
            reading.Done.TrySetResult();
        }
    }

    private async Task<List<TableRecord>> ReadAllAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        List<TableRecord> records = [];
        await foreach (CoapRecord record in cluster.Store.ReadAsync(kind, slot, cancellationToken).ConfigureAwait(false))
        {
            if (TableRecord.TryRead(record) is { } read)
            {
                records.Add(read);
            }
        }

        return records;
    }

    private async Task<List<TableRecord>> FindAsync(CoapTableKey[] keys, CancellationToken cancellationToken)
    {
        List<TableRecord> records = new(keys.Length);
        foreach (CoapTableKey key in keys)
        {
            CoapRecord? record;
            try
            {
                record = await cluster.Store.FindAsync(contents.RecordKeyOf(key.Bytes), cancellationToken).ConfigureAwait(false);
            }
            catch (CoapClusterStoreException exception) when (exception.Fault == CoapClusterStoreFault.Corrupt)
            {
                // As when all entries of the slot are read.
                continue;
            }

            if (record is not null && TableRecord.TryRead(record) is { } read)
            {
                records.Add(read);
            }
        }

        return records;
    }

    // Requires the gate. The fence is that of this node at the start of the read.
    private void Show(CoapSlot number, ClusterReplicatedTableSlot slot, CoapTableKey[]? keys, List<TableRecord> records,
        CoapFencingToken fence)
    {
        if (slot.IsOwned)
        {
            return;
        }

        HashSet<int> found = new(records.Count);
        foreach (TableRecord record in records)
        {
            found.Add(contents.Show(slot, record));
        }

        // The store had confirmed the first value of each entry. Missing entries were therefore removed, or have expired.
        IEnumerable<int> asked = keys is null ? slot.Entries.All : keys.Select(key => slot.Entries.Find(key.Bytes));
        foreach (int gone in asked.Where(index => index != TableSlotEntries.None && !found.Contains(index)).ToArray())
        {
            contents.Drop(slot, gone);
        }

        if (keys is null)
        {
            _ = slot.IsLoaded || Interlocked.Decrement(ref _unloaded) > 0 || _loaded.TrySetResult();
            bool isTaken = slot.IsTakenWith(fence) && cluster.FenceOf(number) == fence;
            cluster.Counts.Add(ClusterMetric.TableSlotsRead, slot.IsLoaded && !isTaken ? 1 : 0);
            slot.IsLoaded = true;
            if (!isTaken)
            {
                return;
            }


            slot.Begin(fence);
            news.Begin(number, fence);
            cluster.Counts.Add(ClusterMetric.TableSlotsTaken);
            moved.Wake();
        }
    }

    private sealed record Reading(CoapSlot Slot, bool IsAll, Task Turn, TaskCompletionSource Done);
}
