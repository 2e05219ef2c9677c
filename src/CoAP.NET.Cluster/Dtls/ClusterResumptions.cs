using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Dtls;

namespace CoAP.NET.Cluster.Dtls;

/// <summary>
/// DTLS sessions that a client resumes at any node with a short handshake. The name of a session begins with its slot, which belonged to
/// the node that created it. Every node reads the session there; the owner of the slot writes. Thread-safe.
/// </summary>
internal sealed class ClusterResumptions
{
    private readonly CoapCluster _cluster;
    private readonly TimeProvider _time;

    public ClusterResumptions(CoapCluster cluster, TimeProvider time) => (_cluster, _time) = (cluster, time);

    /// <summary>Returns the sessions of a server.</summary>
    /// <param name="name">The prefix of the keys of its records.</param>
    public ICoapDtlsResumptionStore Of(byte[] name) => new ServerResumptionStore(this, name);

    private static CoapRecordKey KeyOf(ReadOnlySpan<byte> name, ReadOnlySpan<byte> id) =>
        new(CoapRecordKind.Resumption, new CoapSlot(id[0]), [.. name, .. id]);

    private void Add(CoapRecordKey key, ReadOnlySpan<byte> state, DateTimeOffset expires)
    {
        CoapFencingToken fence = _cluster.FenceOf(key.Slot);
        TimeSpan left = expires - _time.GetUtcNow();
        if (fence.IsSet && left > TimeSpan.Zero)
        {
            // Encrypted now, because the write may be delayed and the plain bytes are wiped.
            _cluster.Writer.TryWrite(CoapRecordWrite.Put(key, fence, _cluster.Store.Seal(key, state), left), isHint: true);
        }
    }

    private async ValueTask<byte[]?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
        await _cluster.Store.FindAsync(key, cancellationToken).ConfigureAwait(false) is { } record
            ? _cluster.Store.TryOpen(key, record.State.Span)
            : null;

    private void Remove(CoapRecordKey key)
    {
        if (_cluster.FenceOf(key.Slot).IsSet)
        {
            RemoveOwned(key);
        }
        else if (_cluster.Map[key.Slot].Node is { IsSet: true } owner)
        {
            _cluster.Peers.Find(owner)?.RemovedResumptions.TryPost(key);
        }
    }

    /// <summary>Removes a session for another node. Only the owner of the slot does this; late posts are not forwarded.</summary>
    public void RemoveOwned(CoapRecordKey key)
    {
        if (key.Kind == CoapRecordKind.Resumption && _cluster.FenceOf(key.Slot) is { IsSet: true } fence)
        {
            _cluster.Writer.TryWrite(CoapRecordWrite.Remove(key, fence));
        }
    }

    private sealed class ServerResumptionStore(ClusterResumptions all, byte[] name) : ICoapDtlsResumptionStore
    {
        public ValueTask AddAsync(
            ReadOnlyMemory<byte> id, ReadOnlyMemory<byte> state, DateTimeOffset expires, CancellationToken cancellationToken)
        {
            all.Add(KeyOf(name, id.Span), state.Span, expires);
            return ValueTask.CompletedTask;
        }

        public ValueTask<byte[]?> FindAsync(ReadOnlyMemory<byte> id, CancellationToken cancellationToken) =>
            all.FindAsync(KeyOf(name, id.Span), cancellationToken);

        public ValueTask RemoveAsync(ReadOnlyMemory<byte> id, CancellationToken cancellationToken)
        {
            all.Remove(KeyOf(name, id.Span));
            return ValueTask.CompletedTask;
        }
    }
}
