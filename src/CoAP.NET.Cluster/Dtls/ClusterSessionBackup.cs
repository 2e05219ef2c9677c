using System.Buffers.Binary;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Servers;
using CoAP.NET.Cluster.Steering;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster.Dtls;

/// <summary>
/// Keeps the DTLS sessions of a server in the store of a cluster, for the slots of this node. It writes states from the server under the
/// fences of the slots: a node that loses slots ends their sessions, and the new owner loads them. Thread-safe.
/// </summary>
#pragma warning disable CA1001 // a server stops its backup and disposes of nothing; the source has neither timer nor handle
internal sealed class ClusterSessionBackup : ICoapDtlsSessionBackup
#pragma warning restore CA1001
{
    private static readonly TimeSpan s_retry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_shortestLifetime = TimeSpan.FromMilliseconds(1);

    // The number of slots to read in parallel. A store has few connections for reads, and shares them.
    private static readonly int s_readers = Math.Min(4, Environment.ProcessorCount + 1);

    private readonly CoapCluster _cluster;
    private readonly TimeProvider _time;
    private readonly byte[] _name;
    private readonly Lock _gate = new();
    private readonly CancellationTokenSource _stop = new();

    // Held while a session of the slot is opened: a slot that is being released gets no session after that.
    private readonly Lock[] _opening = [.. CoapSlot.All.Select(static _ => new Lock())];

    // The fence of the loaded sessions of each slot; 0 for none, negative during loading.
    private readonly long[] _loaded = new long[CoapSlot.Count];
    private CoapDtlsSessionLoader? _loader;
    private Task _loading = Task.CompletedTask;
    private Task _dropping = Task.CompletedTask;
    private bool _isStopped;

    public ClusterSessionBackup(CoapCluster cluster, TimeProvider time, byte[] name)
    {
        _cluster = cluster;
        _time = time;
        _name = name;
    }

    public bool IsOf(CoapCluster cluster, string server) =>
        cluster == _cluster && ClusterServers.NameOf(server).AsSpan().SequenceEqual(_name);

    /// <summary>The name of the server, in UTF-8.</summary>
    public ReadOnlySpan<byte> Server => _name.AsSpan(1);

    /// <summary>
    /// Forwards datagrams to the nodes of their sessions; null if they have to arrive at this node. Set before the start.
    /// </summary>
    public ClusterSteering? Steering { get; set; }

    /// <summary>Whether the sessions of a slot are loaded under a fence of this node.</summary>
    public bool HasLoaded(CoapSlot slot, CoapFencingToken fence) => fence.IsSet && Volatile.Read(ref _loaded[slot.Number]) == fence.Value;

    public async ValueTask StartAsync(CoapDtlsSessionLoader loader, CancellationToken cancellationToken)
    {
        _loader = loader;
        try
        {
            await LoadAsync(cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            // For slots that were not readable yet, and slots that this node gets later.
            _cluster.MapChanged += OnMapChanged;
            OnMapChanged(null, EventArgs.Empty);
        }
    }

    public async ValueTask SaveAsync(IReadOnlyList<CoapDtlsSessionChange> changes, CancellationToken cancellationToken)
    {
        List<CoapRecordWrite> batch = new(changes.Count);
        List<CoapDtlsSessionChange> kept = new(changes.Count);
        CoapClusterSlotMap map = _cluster.Map;
        DateTimeOffset now = _time.GetUtcNow();
        foreach (CoapDtlsSessionChange change in changes)
        {
            CoapRecordKey key = KeyOf(CoapRecordKind.Session, change.Id.Span);
            CoapRecordKey keyOfProgress = KeyOf(CoapRecordKind.SessionProgress, change.Id.Span);
            CoapSlotOwner owner = map[key.Slot];
            if (!owner.Node.IsSet)
            {
                throw new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                    "This node owns no slots yet and cannot keep sessions. " + _cluster.Health.Failure?.Message);
            }

            // Another node owns the slot, or did so since this one had the session, and has used its numbers.
            if (owner.Node != _cluster.Self.Id || (change.Stamp != 0 && change.Stamp != owner.Fence.Value))
            {
                change.Refuse();
                continue;
            }

            change.Stamp = owner.Fence.Value;
            kept.Add(change);
            TimeSpan left = change.Expires - now;
            left = left > s_shortestLifetime ? left : s_shortestLifetime;
            if (change.Kind == CoapDtlsSessionChangeKind.Ended)
            {
                batch.Add(CoapRecordWrite.Remove(key, owner.Fence));
                kept.Add(change);
                batch.Add(CoapRecordWrite.Remove(keyOfProgress, owner.Fence));
            }
            else
            {
                batch.Add(change.Progress.IsEmpty
                    ? CoapRecordWrite.Put(key, owner.Fence, change.State, left)
                    : CoapRecordWrite.Put(keyOfProgress, owner.Fence, change.Progress, left));
            }
        }

        CoapWriteResult result = await _cluster.Store.WriteAsync(batch.ToArray(), cancellationToken).ConfigureAwait(false);
        for (int i = 0; i < kept.Count; i++)
        {
            if (result[i] != CoapWriteOutcome.Written)
            {
                kept[i].Refuse();
            }
            else
            {
                LoadIfRead(kept[i]);
            }
        }
    }

    // A session that was made without the store, and ended with the slot that this node then lost, may be written after this node has the
    // slot again and has read it. Nobody would read the session.
    private void LoadIfRead(CoapDtlsSessionChange change)
    {
        CoapSlot slot = new(change.Id.Span[0]);
        if (change.Kind == CoapDtlsSessionChangeKind.Stopped && Math.Abs(Volatile.Read(ref _loaded[slot.Number])) == change.Stamp)
        {
            Open(slot, new CoapFencingToken(change.Stamp), change.State.Span, []);
        }
    }

    // A session of a slot that is being released would serve, and what it changes would be lost.
    private void Open(CoapSlot slot, CoapFencingToken fence, ReadOnlySpan<byte> state, ReadOnlySpan<byte> progress)
    {
        lock (_opening[slot.Number])
        {
            if (!_cluster.Releases.IsMoving(slot, fence))
            {
                _loader!.TryLoadParts(state, progress, fence.Value);
            }
        }
    }

    /// <summary>Waits until no session of a slot, which is marked as moving, is being opened.</summary>
    public void WaitForOpening(CoapSlot slot)
    {
        lock (_opening[slot.Number])
        {
        }
    }

    public async ValueTask StopAsync(CancellationToken cancellationToken)
    {
        _cluster.MapChanged -= OnMapChanged;
        Steering?.Stop();
        Task loading;
        lock (_gate)
        {
            _isStopped = true;
            loading = _loading;
        }

        await _stop.CancelAsync().ConfigureAwait(false);
        await loading.WaitAsync(cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Its name in the log.</summary>
    public override string ToString() => "the store of the cluster";

    private CoapRecordKey KeyOf(CoapRecordKind kind, ReadOnlySpan<byte> id) => new(kind, new CoapSlot(id[0]), [.. _name, .. id]);

    // Null for a session of another server.
    private ulong? IdOf(CoapRecord record) =>
        record.Key.Bytes.Span is var key && key.StartsWith(_name) && key.Length == _name.Length + sizeof(ulong)
            ? BinaryPrimitives.ReadUInt64BigEndian(key[_name.Length..])
            : null;

    private void OnMapChanged(object? sender, EventArgs arguments)
    {
        lock (_gate)
        {
            if (!_isStopped)
            {
                _loading = LoadAfterAsync(_loading);
            }
        }
    }

    private async Task LoadAfterAsync(Task before)
    {
        await before.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                await LoadAsync(_stop.Token).ConfigureAwait(false);
                return;
            }
            catch (OperationCanceledException)
            {
                return;
            }
            catch (CoapClusterStoreException)
            {
                // The cluster reports the failure.
            }

            await Task.Delay(s_retry, _time, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    private async Task LoadAsync(CancellationToken cancellationToken)
    {
        await DropLostAsync().ConfigureAwait(false);

        // Opening the states takes longer than reading them, and uses several processors.
        ParallelOptions options = new() { MaxDegreeOfParallelism = s_readers, CancellationToken = cancellationToken };
        await Parallel.ForEachAsync(CoapSlot.All.Where(slot => !HasLoaded(slot, _cluster.FenceOf(slot))), options, LoadAsync)
            .ConfigureAwait(false);
    }

    private async ValueTask LoadAsync(CoapSlot slot, CancellationToken cancellationToken)
    {
        CoapFencingToken fence = _cluster.FenceOf(slot);
        if (!fence.IsSet)
        {
            return;
        }

        Volatile.Write(ref _loaded[slot.Number], -fence.Value);
        Dictionary<ulong, ReadOnlyMemory<byte>> progress = [];
        await foreach (CoapRecord record in _cluster.Store.ReadAsync(CoapRecordKind.SessionProgress, slot, cancellationToken)
            .ConfigureAwait(false))
        {
            if (IdOf(record) is { } id)
            {
                progress[id] = record.State;
            }
        }

        await foreach (CoapRecord record in _cluster.Store.ReadAsync(CoapRecordKind.Session, slot, cancellationToken)
            .ConfigureAwait(false))
        {
            // The device may have received records with higher numbers, which must not be used twice.
            if (IdOf(record) is { } id && !_cluster.Map.IsStale(record))
            {
                // Without progress, no message has come since the state was stored.
                Open(slot, fence, record.State.Span, progress.GetValueOrDefault(id).Span);
            }
        }

        Volatile.Write(ref _loaded[slot.Number], fence.Value);
        Steering?.Look();
    }

    /// <summary>
    /// Ends the sessions of slots that this node lost, or got back: another node may have had them in between, and has used their numbers.
    /// </summary>
    /// <returns>A task that completes when none of them is left. Nothing is loaded before.</returns>
    public Task DropLostAsync()
    {
        lock (_gate)
        {
            return _dropping = DropLostAfterAsync(_dropping);
        }
    }

    // One call after the other: a second caller must wait for the sessions that the first one drops.
    private async Task DropLostAfterAsync(Task before)
    {
        await before.ConfigureAwait(ConfigureAwaitOptions.ForceYielding | ConfigureAwaitOptions.SuppressThrowing);
        List<CoapSlot> lost = [.. CoapSlot.All.Where(slot => Volatile.Read(ref _loaded[slot.Number]) is not 0 and var fence
            && Math.Abs(fence) != _cluster.FenceOf(slot).Value)];
        foreach (CoapSlot slot in lost)
        {
            Volatile.Write(ref _loaded[slot.Number], 0);
        }

        if (lost.Count > 0 && Steering is { } steering)
        {
            await steering.DropAsync(lost).ConfigureAwait(false);
        }
    }
}
