using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Devices.Outbox;

/// <summary>
/// The outboxes of the devices whose names are in slots of this node: stores requests, sends them one at a time per device when it is
/// awake, and keeps their outcomes for a while. Outboxes move with their slots. Thread-safe.
/// </summary>
internal sealed class DeviceOutboxes : ISlotStateHolder, IDisposable
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);

    private readonly CoapCluster _cluster;
    private readonly ClusterDevices _devices;
    private readonly CoapDeviceOptions _options;
    private readonly TimeProvider _time;
    private readonly OutboxLimiter _bounds;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, DeviceOutboxQueue> _queues = new(StringComparer.Ordinal);
    private readonly Dictionary<Guid, OutboxEntry> _entries = [];
    private readonly SlotRecordLoader _records;
    private readonly CancellationTokenSource _stop = new();
    private Task _loading = Task.CompletedTask;

    public DeviceOutboxes(CoapCluster cluster, ClusterDevices devices, CoapDeviceOptions options, TimeProvider time)
    {
        _cluster = cluster;
        _devices = devices;
        _options = options;
        _time = time;
        _bounds = new OutboxLimiter(options, cluster.Counts);
        _records = new SlotRecordLoader(cluster, CoapRecordKind.Outbox);
        cluster.MapChanged += OnMapChanged;
    }

    /// <summary>Adds a request; completes when it is stored.</summary>
    /// <param name="entry">The request. A known id is not added again.</param>
    /// <param name="cancellationToken">Stops waiting, and cancels the request.</param>
    /// <returns>The request in the outbox, or the reason for its refusal.</returns>
    /// <exception cref="OutboxMovedException">The outbox is not on this node.</exception>
    public async Task<OutboxAddition> AddAsync(OutboxEntry entry, CancellationToken cancellationToken)
    {
        DeviceOutboxQueue? queue = null;
        lock (_gate)
        {
            CoapFencingToken fence = FenceLocked(entry.Slot);
            if (_entries.TryGetValue(entry.Id, out OutboxEntry? taken))
            {
                // A failed entry disappears soon; the caller then asks again.
                entry = taken.IsCancelled ? throw new OutboxMovedException() : taken;
            }
            else
            {
                queue = QueueLocked(entry.Device, fence);
                if (AddLocked(queue, entry) is { } refused)
                {
                    return refused;
                }
            }
        }

        try
        {
            if (await entry.Written.WaitAsync(cancellationToken).ConfigureAwait(false) != CoapWriteOutcome.Written)
            {
                throw new OutboxMovedException();
            }
        }
        catch (Exception exception)
        {
            lock (_gate)
            {
                entry.IsCancelled |= queue is not null;
                queue?.LookAgain();
            }

            if (exception is OperationCanceledException or OutboxMovedException)
            {
                throw;
            }

            return new OutboxAddition(
                null, exception is CoapClusterStoreException ? CoapDeviceFault.Unreachable : CoapDeviceFault.Failed, exception.Message);
        }
        finally
        {
            // Nothing is sent before it is stored.
            lock (_gate)
            {
                StartLocked(queue);
            }
        }

        return new OutboxAddition(entry.ToPublic());
    }

    /// <summary>Waits for the answer to a request, or its failure.</summary>
    /// <exception cref="OutboxMovedException">The outbox is not on this node.</exception>
    public async Task<OutboxOutcome> WaitAsync(string device, Guid id, CancellationToken cancellationToken)
    {
        OutboxEntry? entry;
        lock (_gate)
        {
            FenceLocked(DeviceName.SlotOf(device));
            _entries.TryGetValue(id, out entry);
        }

        if (entry is not null)
        {
            await entry.Done.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
            return entry.GetOutcome();
        }

        CoapRecord? record = await _cluster.Store.FindAsync(OutboxEntry.RecordKeyOf(device, id), cancellationToken).ConfigureAwait(false);
        OutboxEntry? kept = record is null ? null : OutboxEntry.TryRead(record.State.Span);
        return kept is { State: OutboxRequestState.Answered or OutboxRequestState.Failed } ? kept.GetOutcome()
            : kept is null ? new OutboxOutcome(default, CoapDeviceFault.Forgotten)
            : throw new OutboxMovedException();
    }

    /// <summary>Lists the waiting requests of a device.</summary>
    /// <exception cref="OutboxMovedException">The outbox is not on this node.</exception>
    public IReadOnlyList<CoapQueuedRequest> List(string device)
    {
        lock (_gate)
        {
            FenceLocked(DeviceName.SlotOf(device));
            return _queues.TryGetValue(device, out DeviceOutboxQueue? queue)
                ? [.. queue.Entries.Where(static entry => !entry.IsCancelled && entry.State <= OutboxRequestState.Sending)
                    .Select(static entry => entry.ToPublic())]
                : [];
        }
    }

    /// <summary>Cancels a request that was not sent, and waits for the store because another node could send it otherwise.</summary>
    /// <returns>Whether it will not be sent. Otherwise it may have been sent, or is unknown.</returns>
    /// <exception cref="OutboxMovedException">The outbox is not on this node.</exception>
    public async Task<bool> CancelAsync(string device, Guid id, CancellationToken cancellationToken)
    {
        OutboxEntry? entry;
        lock (_gate)
        {
            FenceLocked(DeviceName.SlotOf(device));
            if (!_entries.TryGetValue(id, out entry) || entry.State != OutboxRequestState.Waiting || entry.IsCancelled)
            {
                return false;
            }

            entry.IsCancelled = true;
            _queues[entry.Device].LookAgain();
        }

        await entry.Done.Task.WaitAsync(cancellationToken).ConfigureAwait(false);
        return entry.Fault == CoapDeviceFault.Cancelled;
    }

    public async Task ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        DeviceOutboxQueue[] queues;
        lock (_gate)
        {
            queues = [.. _queues.Values.Where(queue => queue.Slot == slot)];
            foreach (DeviceOutboxQueue queue in queues)
            {
                queue.LookAgain();
                queue.Stop.Cancel();
            }
        }

        await Task.WhenAll(queues.Select(static queue => queue.Running)).WaitAsync(cancellationToken).ConfigureAwait(false);
        Drop(queues);
    }

    public void Dispose()
    {
        _cluster.MapChanged -= OnMapChanged;
        _stop.Cancel();
        lock (_gate)
        {
            Drop([.. _queues.Values]);
        }
    }

    // Returns the fence of a slot whose outboxes are here.
    private CoapFencingToken FenceLocked(CoapSlot slot)
    {
        CoapFencingToken fence = _records.FenceOf(slot);
        return fence.IsSet && !_stop.IsCancellationRequested ? fence : throw new OutboxMovedException();
    }

    private DeviceOutboxQueue QueueLocked(string device, CoapFencingToken fence)
    {
        if (_queues.TryGetValue(device, out DeviceOutboxQueue? queue))
        {
            return queue.Stop.IsCancellationRequested ? throw new OutboxMovedException() : queue;
        }

        return _queues[device] = new DeviceOutboxQueue(device, fence);
    }

    // Returns the refusal; null if there is room.
    private OutboxAddition? AddLocked(DeviceOutboxQueue queue, OutboxEntry entry)
    {
        if (queue.Entries.Count >= _options.MaxQueuedPerDevice)
        {
            _bounds.Refuse();
            return new OutboxAddition(null, CoapDeviceFault.Full,
                $"the outbox of the device already has {queue.Entries.Count} requests (MaxQueuedPerDevice). Try again when some are "
                    + "answered.");
        }

        if (!_bounds.TryTake(entry))
        {
            return new OutboxAddition(null, CoapDeviceFault.Full);
        }

        entry.Queued = _time.GetUtcNow();
        entry.Sequence = queue.Entries is [.., var last] ? last.Sequence + 1 : entry.Queued.Ticks;
        _entries.Add(entry.Id, entry);
        queue.Entries.Add(entry);
        entry.Written = WriteAsync(queue, entry);
        return null;
    }

    private void StartLocked(DeviceOutboxQueue? queue)
    {
        if (queue is { IsRunning: false, Entries.Count: > 0, Stop.IsCancellationRequested: false })
        {
            queue.IsRunning = true;
            queue.Running = RunAsync(queue);
        }
    }

    private void RemoveLocked(DeviceOutboxQueue queue)
    {
        if (_queues.TryGetValue(queue.Device, out DeviceOutboxQueue? same) && same == queue)
        {
            _queues.Remove(queue.Device);
        }
    }

    private Task<CoapWriteOutcome> WriteAsync(DeviceOutboxQueue queue, OutboxEntry entry)
    {
        TimeSpan left = entry.State <= OutboxRequestState.Sending ? entry.Expires - _time.GetUtcNow() : TimeSpan.Zero;
        return _cluster.Writer.WriteAsync(CoapRecordWrite.Put(entry.RecordKey, queue.Fence, entry.ToBytes(),
            (left > TimeSpan.Zero ? left : TimeSpan.Zero) + _options.OutcomeLifetime), CancellationToken.None);
    }

    private async Task RunAsync(DeviceOutboxQueue queue)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (true)
        {
            OutboxEntry entry;
            CancellationToken look;
            lock (_gate)
            {
                if (queue.Stop.IsCancellationRequested || queue.Entries.Count == 0)
                {
                    queue.IsRunning = false;
                    if (queue.Entries.Count == 0)
                    {
                        RemoveLocked(queue);
                    }

                    return;
                }

                // Canceled requests need not wait for their turn.
                entry = queue.Entries.Find(one => one.State == OutboxRequestState.Failed || one.IsOver(_time.GetUtcNow()))
                    ?? queue.Entries[0];
                look = queue.Look.Token;
            }

            try
            {
                await NextAsync(queue, entry, look).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                // It is checked again, or is over.
            }
            catch (Exception exception) when (exception is CoapException or ObjectDisposedException)
            {
                await Task.Delay(s_retry, _time, queue.Stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private async Task NextAsync(DeviceOutboxQueue queue, OutboxEntry entry, CancellationToken look)
    {
        if (entry.State == OutboxRequestState.Failed)
        {
            await FinishAsync(queue, entry).ConfigureAwait(false);
            return;
        }

        if (entry.IsOver(_time.GetUtcNow()))
        {
            entry.Fail(entry.IsCancelled ? CoapDeviceFault.Cancelled : CoapDeviceFault.Expired);
            await FinishAsync(queue, entry).ConfigureAwait(false);
            return;
        }

        TimeSpan left;
        lock (_gate)
        {
            left = queue.Entries.Min(static one => one.Expires) - _time.GetUtcNow();
        }

        using (CancellationTokenSource expiry = new(left > TimeSpan.Zero ? left : TimeSpan.Zero, _time))
        using (CancellationTokenSource waits = CancellationTokenSource.CreateLinkedTokenSource(look, queue.Stop.Token, expiry.Token))
        {
            await _devices.Router.WhenAwakeAsync(queue.Device, waits.Token).ConfigureAwait(false);
            waits.Token.ThrowIfCancellationRequested();
        }

        lock (_gate)
        {
            if (entry.IsOver(_time.GetUtcNow()))
            {
                return;
            }

            entry.State = OutboxRequestState.Sending;
        }

        // After a crash the store must show that it may have been sent.
        if (!entry.IsRepeatable && await WriteAsync(queue, entry).ConfigureAwait(false) != CoapWriteOutcome.Written)
        {
            Drop([queue]);
            return;
        }

        try
        {
            CoapResponse response = await _devices.SendAsync(queue.Device, new CoapRequest(entry.Request), queue.Abort.Token)
                .ConfigureAwait(false);
            entry.Answer(response.Message);
        }
        catch (CoapDeviceException exception) when (exception.Fault
            is CoapDeviceFault.Asleep or CoapDeviceFault.Unreachable or CoapDeviceFault.Unknown)
        {
            if (!exception.IsOutcomeUnknown || entry.IsRepeatable)
            {
                lock (_gate)
                {
                    entry.State = OutboxRequestState.Waiting;
                }

                throw;
            }

            entry.Fail(CoapDeviceFault.PerhapsSent);
        }
        catch (CoapDeviceException exception)
        {
            entry.Fail(exception.IsOutcomeUnknown && !entry.IsRepeatable ? CoapDeviceFault.PerhapsSent : CoapDeviceFault.Failed,
                exception.Message);
        }

        await FinishAsync(queue, entry).ConfigureAwait(false);
    }

    private async Task FinishAsync(DeviceOutboxQueue queue, OutboxEntry entry)
    {
        Task<CoapWriteOutcome> write = WriteAsync(queue, entry);
        if (entry.State == OutboxRequestState.Answered)
        {
            // The caller need not wait for the store. But "not sent" is only true once the store knows it.
            entry.Done.TrySetResult();
        }

        CoapWriteOutcome outcome = await write.ConfigureAwait(false);
        if (outcome == CoapWriteOutcome.Written)
        {
            entry.Done.TrySetResult();
        }

        lock (_gate)
        {
            queue.Entries.Remove(entry);
            if (_entries.Remove(entry.Id))
            {
                _bounds.Finish(entry, outcome);
            }
        }

        if (outcome != CoapWriteOutcome.Written)
        {
            entry.Done.TrySetException(new OutboxMovedException());
            Drop([queue]);
        }
    }

    // Drops queues that another node owns.
    private void Drop(DeviceOutboxQueue[] queues)
    {
        List<OutboxEntry> gone = [];
        lock (_gate)
        {
            foreach (DeviceOutboxQueue queue in queues)
            {
                queue.Stop.CancelAsync();
                queue.Abort.CancelAsync();
                gone.AddRange(queue.Entries);
                queue.Entries.Clear();
                RemoveLocked(queue);
            }

            foreach (OutboxEntry entry in gone.Where(entry => _entries.Remove(entry.Id)))
            {
                _bounds.GiveBack(entry);
            }
        }

        foreach (OutboxEntry entry in gone)
        {
            entry.Done.TrySetException(new OutboxMovedException());
        }
    }

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        DeviceOutboxQueue[] lost;
        lock (_gate)
        {
            lost = [.. _queues.Values.Where(queue => _cluster.FenceOf(queue.Slot) != queue.Fence)];
            _loading = LoadAfterAsync(_loading);
        }

        Drop(lost);
    }

    private async Task LoadAfterAsync(Task before)
    {
        await before.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await _records.LoadAsync(Load, _stop.Token).ConfigureAwait(false);
                return;
            }
            catch (Exception exception) when (exception is CoapClusterStoreException or OperationCanceledException
                or ObjectDisposedException)
            {
                // The cluster reports the failure.
                await Task.Delay(s_retry, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    private void Load(CoapFencingToken fence, List<CoapRecord> records)
    {
        // Those with an outcome are read when it is asked for.
        IEnumerable<OutboxEntry> entries = records.Select(static record => OutboxEntry.TryRead(record.State.Span)).OfType<OutboxEntry>()
            .Where(static entry => entry.State is OutboxRequestState.Waiting or OutboxRequestState.Sending)
            .OrderBy(static entry => entry.Sequence);
        lock (_gate)
        {
            foreach (OutboxEntry entry in entries)
            {
                LoadLocked(entry, fence);
            }
        }
    }

    private void LoadLocked(OutboxEntry entry, CoapFencingToken fence)
    {
        if (!_entries.TryAdd(entry.Id, entry))
        {
            return;
        }

        _bounds.Take(entry);
        if (entry.State == OutboxRequestState.Sending)
        {
            // The node that was about to send it died.
            if (entry.IsRepeatable)
            {
                entry.State = OutboxRequestState.Waiting;
            }
            else
            {
                entry.Fail(CoapDeviceFault.PerhapsSent);
            }
        }

        if (!_queues.TryGetValue(entry.Device, out DeviceOutboxQueue? queue) || queue.Fence != fence)
        {
            _queues[entry.Device] = queue = new DeviceOutboxQueue(entry.Device, fence);
        }

        queue.Entries.Add(entry);
        StartLocked(queue);
    }
}

/// <summary>The outbox of a device at the node that owns the slot of its name. Guarded by the outboxes.</summary>
internal sealed class DeviceOutboxQueue(string device, CoapFencingToken fence)
{
    public string Device { get; } = device;

    public CoapSlot Slot { get; } = DeviceName.SlotOf(device);

    /// <summary>The fence of its writes.</summary>
    public CoapFencingToken Fence { get; } = fence;

    /// <summary>The waiting requests in order.</summary>
    public List<OutboxEntry> Entries { get; } = [];

    /// <summary>Canceled when this node must send nothing more of it.</summary>
    public CancellationTokenSource Stop { get; } = new();

    /// <summary>Canceled when the pending request must be abandoned.</summary>
    public CancellationTokenSource Abort { get; } = new();

    /// <summary>Canceled when the head has to be checked again.</summary>
    public CancellationTokenSource Look { get; set; } = new();

    /// <summary>The task that sends the requests.</summary>
    public Task Running { get; set; } = Task.CompletedTask;

    public bool IsRunning { get; set; }

    /// <summary>Makes the task check the head again.</summary>
    public void LookAgain()
    {
        CancellationTokenSource look = Look;
        Look = new CancellationTokenSource();
        look.CancelAsync();
    }
}
