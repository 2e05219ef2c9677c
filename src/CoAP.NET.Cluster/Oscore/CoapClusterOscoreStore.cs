using CoAP.NET.Oscore;

namespace CoAP.NET.Cluster;

/// <summary>
/// Keeps how far the sequence numbers of OSCORE contexts are reserved in the store of a cluster (<see cref="CoapCluster.OscoreStore"/>), so
/// that none is used twice after a crash, nor by another node. A context belongs to the node that has its slot; when the slot moves,
/// reservations of the node before are refused, by fence and epoch. Thread-safe.
/// </summary>
/// <remarks>
/// <para>
/// A message that needs a number waits until the store has confirmed its reservation; numbers that are reserved are used while the store is
/// away.
/// </para>
/// <para>
/// A record never expires by itself: without it the numbers of the context would begin at 0 again, under the same key. There is one for
/// each context that is provisioned, and none for those that EDHOC agrees on. When a context gets new keys, or its device is
/// decommissioned, <see cref="ForgetAsync"/> removes the record.
/// </para>
/// </remarks>
public sealed class CoapClusterOscoreStore : IOscoreStore
{
    private readonly CoapCluster _cluster;
    private readonly Lock _gate = new();
    private readonly Dictionary<OscoreStoreKey, Epoch> _open = [];

    // How many calls have read what may be out of date by now.
    private int _opening;

    internal CoapClusterOscoreStore(CoapCluster cluster) => _cluster = cluster;

    /// <summary>How many contexts this node reserves numbers for.</summary>
    internal int OpenCount
    {
        get
        {
            lock (_gate)
            {
                return _open.Count;
            }
        }
    }

    /// <inheritdoc/>
    public async ValueTask<OscoreStoredState> OpenAsync(OscoreStoreKey key, CancellationToken cancellationToken)
    {
        CoapRecordKey record = KeyOf(key);
        CoapFence fence = _cluster.FenceOf(record.Slot);
        if (!fence.IsSet)
        {
            throw NotOurs(record.Slot);
        }

        lock (_gate)
        {
            _opening++;
        }

        try
        {
            return await OpenAsync(key, record, fence, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            lock (_gate)
            {
                _opening--;
            }
        }
    }

    /// <inheritdoc/>
    public async ValueTask ReserveAsync(OscoreStoreKey key, ulong epoch, ulong bound, CancellationToken cancellationToken)
    {
        Epoch open;
        lock (_gate)
        {
            open = OfEpochLocked(key, epoch);
            ArgumentOutOfRangeException.ThrowIfLessThan(bound, open.Bound);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(bound, 1UL << 40);

            // Before it is confirmed: whoever opens the context meanwhile must not write a lower one.
            open.Bound = bound;
        }

        await WriteAsync(KeyOf(key), open, new OscoreRecordState(epoch, bound, null), cancellationToken).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask CloseAsync(
        OscoreStoreKey key, ulong epoch, OscoreReceivedNumbers received, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(received);
        Epoch closed;
        lock (_gate)
        {
            // Nothing is reserved beside a window that is kept.
            Epoch open = OfEpochLocked(key, epoch);
            closed = new Epoch(epoch + 1, open.Fence, open.Bound);
            _open[key] = closed;
        }

        await WriteAsync(KeyOf(key), closed, new OscoreRecordState(closed.Number, closed.Bound, received), cancellationToken)
            .ConfigureAwait(false);
        lock (_gate)
        {
            // The record says it all from now on, unless somebody read it before.
            if (_opening == 0 && _open.TryGetValue(key, out Epoch? last) && last == closed)
            {
                _open.Remove(key);
            }
        }
    }

    /// <summary>
    /// Removes the record of a context whose keys were replaced or destroyed at both ends. Whoever still has the context open can reserve
    /// no more numbers. Never call it for keys that may be used again: they would begin at number 0, and of two messages with the same
    /// number under the same key, an eavesdropper can read both.
    /// </summary>
    /// <param name="key">The context, of <see cref="OscoreStoreKey.Of"/>.</param>
    /// <param name="cancellationToken">Stops waiting; the record is removed nevertheless.</param>
    /// <returns>A task that completes when the store has confirmed the removal, also if there was no record.</returns>
    /// <exception cref="OscoreStoreException">This node does not have the slot of the context (<see cref="OscoreStoreFault.InUse"/>:
    /// another node has it), or the store failed.</exception>
    public async ValueTask ForgetAsync(OscoreStoreKey key, CancellationToken cancellationToken = default)
    {
        CoapRecordKey record = KeyOf(key);
        CoapFence fence = _cluster.FenceOf(record.Slot);
        if (!fence.IsSet)
        {
            throw NotOurs(record.Slot);
        }

        lock (_gate)
        {
            // First, so that no reservation follows the removal.
            _open.Remove(key);
        }

        await WriteAsync(CoapRecordChange.Remove(record, fence), cancellationToken).ConfigureAwait(false);
    }

    private async Task<OscoreStoredState> OpenAsync(
        OscoreStoreKey key, CoapRecordKey record, CoapFence fence, CancellationToken cancellationToken)
    {
        OscoreRecordState? last;
        try
        {
            CoapRecord? found = await _cluster.Store.FindAsync(record, cancellationToken).ConfigureAwait(false);
            last = found is null ? null : OscoreRecordState.Parse(found.State.Span) ?? throw Corrupt();
        }
        catch (CoapClusterStoreException exception)
        {
            throw Failed(exception);
        }

        Epoch opened = new((last?.Epoch ?? 0) + 1, fence, last?.Bound ?? 0);
        lock (_gate)
        {
            // Two that open at a time read the same: the later one goes on above what the earlier one has, which is superseded.
            if (_open.TryGetValue(key, out Epoch? other) && other.Fence == fence && other.Number >= opened.Number)
            {
                opened = new Epoch(other.Number + 1, fence, Math.Max(opened.Bound, other.Bound));
            }

            _open[key] = opened;
        }

        await WriteAsync(record, opened, new OscoreRecordState(opened.Number, opened.Bound, null), cancellationToken).ConfigureAwait(false);
        return new OscoreStoredState(opened.Number, opened.Bound, last is null && opened.Number == 1,
            last is not null && opened.Number == last.Epoch + 1 ? last.Received : null);
    }

    private static CoapRecordKey KeyOf(OscoreStoreKey key) =>
        new(CoapRecordKind.OscoreContext, CoapSlot.OfName(key.Bytes.Span), key.Bytes.Span);

    private static OscoreStoreException Superseded() => new(OscoreStoreFault.Superseded,
        "The security context was opened again, by this process or another node, which has its sequence numbers from now on. Use a context "
        + "at one place only, and open it again to go on here.");

    private static OscoreStoreException Corrupt() => new(OscoreStoreFault.Corrupt,
        "The record of a security context in the store of the cluster is none of this version. Beginning at 0 would use numbers twice, so "
        + "nothing is sent. Give both ends a new Master Secret and remove the record.");

    private static OscoreStoreException Failed(CoapClusterStoreException exception) => new(
        exception.Fault switch
        {
            CoapClusterStoreFault.Corrupt => OscoreStoreFault.Corrupt,
            CoapClusterStoreFault.InUse => OscoreStoreFault.InUse,
            CoapClusterStoreFault.TimedOut => OscoreStoreFault.TimedOut,
            _ => OscoreStoreFault.Failed,
        },
        $"The sequence numbers of a security context cannot be read or written: {exception.Message} Nothing is sent without them.",
        exception);

    private OscoreStoreException NotOurs(CoapSlot slot) => _cluster.Map[slot].Node.IsSet
        ? new OscoreStoreException(OscoreStoreFault.InUse,
            $"The security context is in slot {slot} of the cluster, which another node has ({_cluster.Map[slot].Node}). Use it there.")
        : new OscoreStoreException(OscoreStoreFault.Failed,
            $"The security context is in slot {slot} of the cluster, which nobody has yet: this node has not joined. "
            + (_cluster.Health.Failure?.Message ?? "Start it before contexts are used."));

    private Epoch OfEpochLocked(OscoreStoreKey key, ulong epoch) =>
        _open.TryGetValue(key, out Epoch? open) && open.Number == epoch ? open : throw Superseded();

    private Task WriteAsync(CoapRecordKey record, Epoch open, OscoreRecordState state, CancellationToken cancellationToken) =>
        WriteAsync(CoapRecordChange.Put(record, open.Fence, state.ToBytes(), Timeout.InfiniteTimeSpan), cancellationToken);

    private async Task WriteAsync(CoapRecordChange change, CancellationToken cancellationToken)
    {
        CoapWriteOutcome outcome;
        try
        {
            // By the writer, so that all changes of a record are in order, and many contexts take few batches.
            outcome = await _cluster.Writer.WriteAsync(change, cancellationToken).ConfigureAwait(false);
        }
        catch (CoapClusterStoreException exception)
        {
            throw Failed(exception);
        }

        if (outcome != CoapWriteOutcome.Written)
        {
            throw Superseded();
        }
    }

    // An epoch that this process began.
    private sealed class Epoch(ulong number, CoapFence fence, ulong bound)
    {
        public ulong Number { get; } = number;

        public CoapFence Fence { get; } = fence;

        public ulong Bound { get; set; } = bound;
    }
}
