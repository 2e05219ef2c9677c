using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Guarding;

namespace CoAP.NET.Cluster.Observing;

/// <summary>
/// Queues changes of observers for the <see cref="CoapRecordWriteQueue"/>: one for each observer, passed on in small portions, source by
/// source, and only while the writer keeps up. A registration that ends before its turn is never written: a client that registers and
/// cancels in a loop causes no writes. In a full queue the oldest change of the source with the most is dropped. Thread-safe.
/// </summary>
/// <param name="cluster">The cluster with the writer.</param>
/// <param name="maxWaiting">The maximum number of waiting changes.</param>
/// <param name="time">The clock.</param>
#pragma warning disable CA1001 // its end disposes of its fields
internal sealed class ObserverRecordWriteQueue(CoapCluster cluster, int maxWaiting, TimeProvider time)
#pragma warning restore CA1001
{
    private const int Portion = 500;
    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan s_retryDelay = TimeSpan.FromMilliseconds(250);

    private readonly Lock _gate = new();
    private readonly Dictionary<CoapRecordKey, Change> _byKey = [];
    private readonly FairChangeQueue _shares = new();
    private readonly CancellationTokenSource _stop = new();
    private Task? _handing;
    private long _dropped;
    private long _undone;
    private bool _hasEnded;

    /// <summary>Queues a registration to keep.</summary>
    /// <param name="key">The key of its record.</param>
    /// <param name="state">Its state.</param>
    /// <param name="source">The source whose share it takes.</param>
    /// <param name="isStored">Whether the store probably has the record already, so that its end must be written.</param>
    public void Put(CoapRecordKey key, byte[] state, CoapQuotaSource source, bool isStored = false) => Add(key, state, source, isStored);

    /// <summary>Queues the removal of a registration.</summary>
    public void Remove(CoapRecordKey key, CoapQuotaSource source) => Add(key, null, source, isStored: true);

    public (int Waiting, long Dropped, long Undone) GetCounters()
    {
        lock (_gate)
        {
            return (_byKey.Count, _dropped, _undone);
        }
    }

    /// <summary>Passes the waiting changes of a slot that is about to move to the writer.</summary>
    public void HandOn(CoapSlot slot)
    {
        Change[] changes;
        lock (_gate)
        {
            changes = [.. _byKey.Values.Where(change => change.Key.Slot == slot)];
            foreach (Change change in changes)
            {
                Forget(change);
            }
        }

        foreach (Change change in changes)
        {
            Write(change);
        }
    }

    /// <summary>Passes everything to the writer, which ends afterwards.</summary>
    public async Task EndAsync()
    {
        Task? handing;
        lock (_gate)
        {
            _hasEnded = true;
            handing = _handing;
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await (handing ?? Task.CompletedTask).ConfigureAwait(false);
        while (TryHandOn())
        {
            // The rest follows.
        }

        _stop.Dispose();
    }

    private void Add(CoapRecordKey key, byte[]? state, CoapQuotaSource source, bool isStored)
    {
        // At the time of the change: after a slot returned from another node, its old changes no longer apply.
        CoapFencingToken fence = cluster.FenceOf(key.Slot);
        if (cluster.Releases.IsMoving(key.Slot, fence))
        {
            Write(new Change(key, state, fence, source, isStored));
            return;
        }

        lock (_gate)
        {
            if (_hasEnded)
            {
                return;
            }

            if (_byKey.TryGetValue(key, out Change? waiting))
            {
                if (state is null && !waiting.IsStored)
                {
                    _undone++;
                    Forget(waiting);
                    return;
                }

                (waiting.State, waiting.Fence) = (state, fence);
                return;
            }

            Change change = new(key, state, fence, source, isStored);
            _byKey.Add(key, change);
            _shares.Add(change);
            if (_byKey.Count > maxWaiting)
            {
                _dropped++;
                Forget(_shares.OldestOfGreediest());
            }

            _handing ??= HandOnAsync();
        }
    }

    private void Forget(Change change)
    {
        _byKey.Remove(change.Key);
        _shares.Remove(change);
    }

    private async Task HandOnAsync()
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            while (true)
            {
                // Waits first: registrations that end within this time are not written.
                await Task.Delay(s_interval, time, _stop.Token).ConfigureAwait(false);

                // Slots have no known owner before the first map of the store. And changes for an unavailable store wait here, where each
                // source has its share.
                while (cluster.Map.Version == 0 || cluster.Writer.GetCounters().Waiting >= Portion)
                {
                    await Task.Delay(s_retryDelay, time, _stop.Token).ConfigureAwait(false);
                }

                if (!TryHandOn())
                {
                    return;
                }
            }
        }
        catch (OperationCanceledException)
        {
            // The end passes the rest on.
        }
    }

    // False if nothing is left; the next change then starts again.
    private bool TryHandOn()
    {
        List<Change> portion = new(Portion);
        lock (_gate)
        {
            while (portion.Count < Portion && _shares.TryNext(out Change? change))
            {
                Forget(change);
                portion.Add(change);
            }

            if (portion.Count == 0)
            {
                _handing = null;
                return false;
            }
        }

        portion.ForEach(Write);
        return true;
    }

    private void Write(Change change)
    {
        CoapFencingToken fence = change.Fence.IsSet ? change.Fence : cluster.FenceOf(change.Key.Slot);
        if (fence.IsSet)
        {
            _ = cluster.Writer.TryWrite(change.State is { } state
                ? CoapRecordWrite.Put(change.Key, fence, state, ObserverRecord.Lifetime)
                : CoapRecordWrite.Remove(change.Key, fence));
        }
    }

    /// <summary>A waiting change.</summary>
    /// <param name="key">The record.</param>
    /// <param name="state">The new state; null for a removal.</param>
    /// <param name="fence">The fence at the time of the change; unset before the first map of the store.</param>
    /// <param name="source">The source whose share it takes.</param>
    /// <param name="isStored">Whether the store may have the record.</param>
    internal sealed class Change(CoapRecordKey key, byte[]? state, CoapFencingToken fence, CoapQuotaSource source, bool isStored)
    {
        private SourceUsage<Change>.UsageEntry? _holding;

        public CoapRecordKey Key => key;

        public byte[]? State { get; set; } = state;

        public CoapFencingToken Fence { get; set; } = fence;

        public bool IsStored => isStored;

        public SourceUsage<Change>.UsageEntry UsageEntry => _holding ??= new SourceUsage<Change>.UsageEntry(this, source);
    }
}
