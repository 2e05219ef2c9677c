using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Writing;

/// <summary>
/// The changes that wait for the store: one for each record, with limits. Not thread-safe: <see cref="CoapRecordWriteQueue"/> holds its
/// lock. It returns the callers to notify, so that none is called under that lock.
/// </summary>
internal sealed class PendingRecords(CoapRecordWriterOptions options)
{
    private readonly Dictionary<CoapRecordKey, PendingRecordChange> _byKey = [];
    private readonly LinkedList<PendingRecordChange>[] _byWeight = [new(), new(), new()];
    private readonly List<PendingRecordChange> _inProgress = [];
    private long _number;
    private int _bytesInProgress;

    public int Count => _byKey.Count + _inProgress.Count;

    public long Bytes { get; private set; }

    public bool HasWaiting => _byKey.Count > 0;

    public bool HasPromise => _byWeight[(int)CoapRecordPriority.Promise].Count > 0;

    public bool HasBatch => _byKey.Count >= options.BatchSize;

    public long Replaced { get; private set; }

    public long Dropped { get; private set; }

    /// <summary>The number of the newest change so far.</summary>
    public long Newest => _number;

    /// <summary>The number of the oldest change that is not stored yet; past the newest if all are.</summary>
    public long Oldest
    {
        get
        {
            long oldest = _number + 1;
            foreach (LinkedList<PendingRecordChange> list in _byWeight)
            {
                oldest = Math.Min(oldest, list.First?.Value.Number ?? long.MaxValue);
            }

            foreach (PendingRecordChange record in _inProgress)
            {
                oldest = Math.Min(oldest, record.Number);
            }

            return oldest;
        }
    }

    /// <summary>Adds a change, which replaces an older one of the record.</summary>
    /// <param name="change">The change.</param>
    /// <param name="weight">Its weight.</param>
    /// <param name="waiter">The waiting caller; null for none.</param>
    /// <param name="outdated">A record whose callers must get a fenced outcome; null if there is none.</param>
    /// <returns>Whether there was room.</returns>
    public bool TryAdd(
        CoapRecordWrite change, CoapRecordPriority weight, TaskCompletionSource<CoapWriteOutcome>? waiter,
            out PendingRecordChange? outdated)
    {
        outdated = null;
        PendingRecordChange record = new(change, weight, ++_number);
        if (waiter is not null)
        {
            record.Waiters.Add(waiter);
        }

        if (_byKey.TryGetValue(change.Key, out PendingRecordChange? old))
        {
            Remove(old);
            Replaced++;
            if (old.Change.Fence == change.Fence)
            {
                // Callers that wait for the older state get the outcome of the newer one.
                Inherit(record, old);
            }
            else
            {
                outdated = old;
            }
        }

        if (!MakeRoom(record))
        {
            // The previous record stays.
            if (old is not null)
            {
                outdated = null;
                Replaced--;
                Insert(old);
            }

            return false;
        }

        Insert(record);
        return true;
    }

    /// <summary>Takes the next batch: promises first, then state, then hints, and the oldest of each first.</summary>
    public CoapRecordWrite[] Take()
    {
        for (int weight = (int)CoapRecordPriority.Promise; weight >= 0; weight--)
        {
            while (_inProgress.Count < options.BatchSize && _byWeight[weight].First is { } first
                && (_inProgress.Count == 0 || _bytesInProgress + first.Value.Bytes <= RecordBatchValidator.MaxBytes))
            {
                PendingRecordChange record = first.Value;
                Remove(record);
                _inProgress.Add(record);
                _bytesInProgress += record.Bytes;
                Bytes += record.Bytes;
            }
        }

        return [.. _inProgress.Select(static record => record.Change)];
    }

    /// <summary>Completes the taken batch.</summary>
    public PendingRecordChange[] Done()
    {
        PendingRecordChange[] done = [.. _inProgress];
        Bytes -= _bytesInProgress;
        _bytesInProgress = 0;
        _inProgress.Clear();
        return done;
    }

    /// <summary>Returns the failed batch to the queue, except for changes that newer ones have replaced meanwhile.</summary>
    /// <returns>Records whose callers must get a fenced outcome.</returns>
    public List<PendingRecordChange> Again()
    {
        List<PendingRecordChange> outdated = [];
        PendingRecordChange[] failed = Done();

        // From the newest on, so that the oldest is first again.
        for (int i = failed.Length - 1; i >= 0; i--)
        {
            PendingRecordChange old = failed[i];
            if (!_byKey.TryGetValue(old.Change.Key, out PendingRecordChange? newer))
            {
                Insert(old, isOld: true);
                continue;
            }

            Replaced++;
            if (old.Change.Fence == newer.Change.Fence)
            {
                Remove(newer);
                Inherit(newer, old);
                Insert(newer, isOld: true);
            }
            else
            {
                outdated.Add(old);
            }
        }

        return outdated;
    }

    /// <summary>Removes everything, at the end.</summary>
    public PendingRecordChange[] Clear()
    {
        PendingRecordChange[] all = [.. Done(), .. _byKey.Values];
        Dropped += all.Length;
        _byKey.Clear();
        foreach (LinkedList<PendingRecordChange> list in _byWeight)
        {
            list.Clear();
        }

        Bytes = 0;
        return all;
    }

    private static void Inherit(PendingRecordChange record, PendingRecordChange old)
    {
        record.Number = old.Number;
        record.Weight = (CoapRecordPriority)Math.Max((byte)record.Weight, (byte)old.Weight);
        record.Waiters.InsertRange(0, old.Waiters);
    }

    // Changes of at most the newcomer's weight go, the lightest and oldest first. They have no waiting callers.
    private bool MakeRoom(PendingRecordChange record)
    {
        for (int weight = 0; !HasCapacity(record);)
        {
            if (weight > (int)record.Weight || weight == (int)CoapRecordPriority.Promise)
            {
                return false;
            }

            if (_byWeight[weight].First is not { } first)
            {
                weight++;
                continue;
            }

            Remove(first.Value);
            Dropped++;
        }

        return true;
    }

    private bool HasCapacity(PendingRecordChange record) => Count < options.MaxRecords && Bytes + record.Bytes <= options.MaxBytes;

    private void Insert(PendingRecordChange record, bool isOld = false)
    {
        LinkedList<PendingRecordChange> list = _byWeight[(int)record.Weight];
        record.Node = isOld ? list.AddFirst(record) : list.AddLast(record);
        _byKey.Add(record.Change.Key, record);
        Bytes += record.Bytes;
    }

    private void Remove(PendingRecordChange record)
    {
        _byWeight[(int)record.Weight].Remove(record.Node!);
        _byKey.Remove(record.Change.Key);
        Bytes -= record.Bytes;
    }
}
