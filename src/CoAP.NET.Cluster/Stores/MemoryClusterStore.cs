using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;

namespace CoAP.NET.Cluster.Stores;

/// <summary>One connection to a <see cref="CoapMemoryCluster"/>, as the store of one node. Thread-safe.</summary>
internal sealed class MemoryClusterStore : ICoapClusterStore
{
    private readonly CoapMemoryCluster _cluster;
    private readonly CoapClusterMapFeed _feed = new();
    private readonly Lock _gate = new();
    private CoapNodeId _self;
    private bool _isDisposed;

    public MemoryClusterStore(CoapMemoryCluster cluster)
    {
        _cluster = cluster;
        cluster.Add(_feed);
    }

    public string? Limitation => null;

    public ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        NodeLeaseRules.Check(self, lease);
        Begin(cancellationToken);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            NodeLeaseRules.CheckSame(_self, self.Id);
            _self = self.Id;
            return new ValueTask<CoapClusterSlotMap>(_cluster.Join(self, lease));
        }
    }

    public async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        Begin(cancellationToken);
        await foreach (CoapClusterSlotMap map in _feed.WatchAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return map;
        }
    }

    public ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(wanted);
        Begin(cancellationToken);
        return new ValueTask<bool>(_cluster.TryChange(wanted));
    }

    public ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        RecordBatchValidator.Check(batch.Span);
        Begin(cancellationToken);
        return new ValueTask<CoapWriteResult>(_cluster.Write(batch.Span));
    }

    public async IAsyncEnumerable<CoapRecord> ReadAsync(
        CoapRecordKind kind, CoapSlot slot, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        Begin(cancellationToken);
        foreach (CoapRecord record in _cluster.Read(kind, slot))
        {
            cancellationToken.ThrowIfCancellationRequested();
            yield return record;
        }

        await Task.CompletedTask.ConfigureAwait(false);
    }

    public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken)
    {
        Begin(cancellationToken);
        return new ValueTask<CoapRecord?>(_cluster.Find(key));
    }

    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken)
    {
        Begin(cancellationToken);
        return new ValueTask<int>(_cluster.RemoveExpired());
    }

    public ValueTask DisposeAsync()
    {
        CoapNodeId self;
        lock (_gate)
        {
            _isDisposed = true;
            self = _self;
        }

        _cluster.Leave(_feed, self);
        _feed.Dispose();
        return default;
    }

    private void Begin(CancellationToken cancellationToken)
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
        }
    }
}
