using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Oscore;
using CoAP.NET.Oscore.Sequences;

namespace CoAP.NET.Cluster.Oscore;

/// <summary>
/// Stores the reservations of sequence numbers of OSCORE contexts in a cluster (<see cref="CoapCluster.OscoreStore"/>). Thread-safe.
/// </summary>
/// <remarks>
/// No number is used twice, neither after a crash nor by another node. A context belongs to the node that owns its slot. When the slot
/// moves, fence and epoch reject reservations of the previous node.
/// <para>A message that needs a number waits until the store has confirmed its reservation. Reserved numbers remain usable while the store
/// is unavailable.</para>
/// <para>A record never expires by itself: without it the numbers of the context would begin at 0 again, under the same key. Each
/// provisioned context has one; contexts from EDHOC have none. When a context gets new keys, or its device is decommissioned, remove the
/// record with <see cref="ForgetAsync"/>.</para>
/// </remarks>
internal sealed class CoapClusterOscoreStore : IOscoreStore, IOscoreContextLocator
{
    // More than a context reserves while a standby lags behind; 65,536 of these fit into the numbers of a key.
    private const ulong Jump = 1 << 24;

    private readonly CoapCluster _cluster;
    private readonly Lock _gate = new();
    private readonly Dictionary<OscoreStoreKey, Epoch> _open = [];

    // The number of calls whose read may be outdated by now.
    private int _opening;

    internal CoapClusterOscoreStore(CoapCluster cluster) => _cluster = cluster;

    /// <summary>The number of contexts for which this node reserves numbers.</summary>
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
        CoapFencingToken fence = _cluster.FenceOf(record.Slot);
        if (!fence.IsSet)
        {
            throw NotOurs(key, record.Slot);
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

            // Before the confirmation: a concurrent opening must not write a lower bound.
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
            // Nothing is reserved next to a kept window.
            Epoch open = OfEpochLocked(key, epoch);
            closed = new Epoch(epoch + 1, open.Fence, open.Bound, open.Slot);
            _open[key] = closed;
        }

        await WriteAsync(KeyOf(key), closed, new OscoreRecordState(closed.Number, closed.Bound, received), cancellationToken)
            .ConfigureAwait(false);
        lock (_gate)
        {
            // The record is complete from now on, unless a concurrent call read it before.
            if (_opening == 0 && _open.TryGetValue(key, out Epoch? last) && last == closed)
            {
                _open.Remove(key);
            }
        }
    }

    /// <inheritdoc/>
    public OscoreContextLocation AvailabilityOf(OscoreStoreKey key, ulong epoch)
    {
        Epoch? open;
        lock (_gate)
        {
            // The record of one that is not open was removed: nobody opens it again, and its next reservation fails.
            if (!_open.TryGetValue(key, out open))
            {
                return OscoreContextLocation.Here;
            }
        }

        return open.Number != epoch || _cluster.FenceOf(open.Slot) != open.Fence ? OscoreContextLocation.Closed
            : _cluster.Contexts.IsServing && !_cluster.Releases.IsMoving(open.Slot, open.Fence) ? OscoreContextLocation.Here
            : OscoreContextLocation.Unknown;
    }

    /// <inheritdoc/>
    public OscoreStoreException? Loss => _cluster.StoreLoss is { } loss ? Failed(loss) : null;

    /// <inheritdoc/>
    public Action<CoapMessage>? FindRelay(OscoreStoreKey key, CoapChannel channel) =>
        _cluster.Contexts.FindRelay(CoapSlot.OfName(key.Bytes.Span), channel);

    /// <summary>Removes the record of a context; see <see cref="CoapCluster.ForgetOscoreContextAsync"/>.</summary>
    public async ValueTask ForgetAsync(OscoreStoreKey key, CancellationToken cancellationToken)
    {
        CoapRecordKey record = KeyOf(key);
        CoapFencingToken fence = _cluster.FenceOf(record.Slot);
        if (!fence.IsSet)
        {
            throw NotOurs(key, record.Slot);
        }

        lock (_gate)
        {
            // First, so that no reservation follows the removal.
            _open.Remove(key);
        }

        await WriteAsync(CoapRecordWrite.Remove(record, fence), cancellationToken).ConfigureAwait(false);
    }

    private async Task<OscoreStoredState> OpenAsync(
        OscoreStoreKey key, CoapRecordKey record, CoapFencingToken fence, CancellationToken cancellationToken)
    {
        OscoreRecordState? last;
        bool isStale;
        try
        {
            CoapRecord? found = await _cluster.Store.FindAsync(record, cancellationToken).ConfigureAwait(false);
            last = found is null ? null : OscoreRecordState.Parse(found.State.Span) ?? throw Corrupt();
            isStale = found is null ? _cluster.Map.StaleFence.IsSet : _cluster.Map.IsStale(found);
        }
        catch (CoapClusterStoreException exception)
        {
            throw Failed(exception);
        }

        // Numbers that the store has lost were used: the context continues above them, and without what it received.
        ulong bound = (last?.Bound ?? 0) + (isStale ? Jump : 0);
        if (bound > 1UL << 40)
        {
            throw new OscoreStoreException(OscoreStoreFault.Corrupt,
                "The store of the cluster lost confirmed changes, and no numbers are left above those of a security context that may have "
                + "been used. Give both ends a new Master Secret and remove the record.");
        }

        Epoch opened = new((last?.Epoch ?? 0) + 1, fence, bound, record.Slot);
        lock (_gate)
        {
            // The record may be older than what another opening of this node, or its reservation, has changed since: the later opening
            // continues above the earlier one, and supersedes it.
            if (_open.TryGetValue(key, out Epoch? other) && other.Fence == fence)
            {
                opened = new Epoch(Math.Max(opened.Number, other.Number + 1), fence, Math.Max(opened.Bound, other.Bound), record.Slot);
            }

            _open[key] = opened;
        }

        await WriteAsync(record, opened, new OscoreRecordState(opened.Number, opened.Bound, null), cancellationToken).ConfigureAwait(false);
        return new OscoreStoredState(opened.Number, opened.Bound, last is null && !isStale && opened.Number == 1,
            last is not null && !isStale && opened.Number == last.Epoch + 1 ? last.Received : null);
    }

    private static CoapRecordKey KeyOf(OscoreStoreKey key) =>
        new(CoapRecordKind.OscoreContext, CoapSlot.OfName(key.Bytes.Span), key.Bytes.Span);

    private static OscoreStoreException Superseded() => new(OscoreStoreFault.Superseded,
        "The security context was opened again, by this process or another node, which owns its sequence numbers from now on. Use a "
        + "context in one place only, and open it again to continue here.");

    private static OscoreStoreException Corrupt() => new(OscoreStoreFault.Corrupt,
        "The record of a security context in the store of the cluster is not readable by this version. Numbers from 0 would be used twice; "
        + "nothing is sent. Give both ends a new Master Secret and remove the record.");

    private static OscoreStoreException Failed(CoapClusterStoreException exception) => new(
        exception.Fault switch
        {
            CoapClusterStoreFault.Corrupt or CoapClusterStoreFault.Lost => OscoreStoreFault.Corrupt,
            CoapClusterStoreFault.InUse => OscoreStoreFault.InUse,
            CoapClusterStoreFault.TimedOut => OscoreStoreFault.TimedOut,
            _ => OscoreStoreFault.Failed,
        },
        $"The sequence numbers of a security context could not be read or written: {exception.Message} Nothing is sent without them.",
        exception);

    private OscoreStoreException NotOurs(OscoreStoreKey key, CoapSlot slot) => _cluster.Map[slot].Node.IsSet
        ? new OscoreStoreException(OscoreStoreFault.InUse,
            $"The security context is in slot {slot} of the cluster, which another node owns ({_cluster.Map[slot].Node}). Use it there.")
        {
            Elsewhere = (this, key),
        }
        : new OscoreStoreException(OscoreStoreFault.Failed,
            $"The security context is in slot {slot} of the cluster, which has no owner yet: this node has not joined. "
            + (_cluster.Health.Failure?.Message ?? "Start the node before contexts are used."));

    private Epoch OfEpochLocked(OscoreStoreKey key, ulong epoch) =>
        _open.TryGetValue(key, out Epoch? open) && open.Number == epoch ? open : throw Superseded();

    private Task WriteAsync(CoapRecordKey record, Epoch open, OscoreRecordState state, CancellationToken cancellationToken) =>
        WriteAsync(CoapRecordWrite.Put(record, open.Fence, state.ToBytes(), Timeout.InfiniteTimeSpan), cancellationToken);

    private async Task WriteAsync(CoapRecordWrite change, CancellationToken cancellationToken)
    {
        CoapWriteOutcome outcome;
        try
        {
            // Through the writer, which keeps all changes of a record in order and combines many contexts into few batches.
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

    // An epoch begun by this process.
    private sealed class Epoch(ulong number, CoapFencingToken fence, ulong bound, CoapSlot slot)
    {
        public CoapSlot Slot { get; } = slot;

        public ulong Number { get; } = number;

        public CoapFencingToken Fence { get; } = fence;

        public ulong Bound { get; set; } = bound;
    }
}
