using System.Runtime.CompilerServices;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>A store with a defect: each member does what it should unless it is overridden.</summary>
/// <param name="inner">A store without.</param>
internal class PlantedStore(ICoapClusterStore inner) : ICoapClusterStore
{
    /// <summary>The store without the defect.</summary>
    protected ICoapClusterStore Inner => inner;

    public string? Limitation => inner.Limitation;

    public virtual ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken) =>
        inner.JoinAsync(self, lease, cancellationToken);

    public virtual IAsyncEnumerable<CoapClusterSlotMap> WatchAsync(CancellationToken cancellationToken) =>
        inner.WatchAsync(cancellationToken);

    public virtual ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken) =>
        inner.TryChangeAsync(wanted, cancellationToken);

    public virtual ValueTask<CoapWriteResult> WriteAsync(ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken) =>
        inner.WriteAsync(batch, cancellationToken);

    public IAsyncEnumerable<CoapRecord> ReadAsync(CoapRecordKind kind, CoapSlot slot, CancellationToken cancellationToken) =>
        inner.ReadAsync(kind, slot, cancellationToken);

    public ValueTask<CoapRecord?> FindAsync(CoapRecordKey key, CancellationToken cancellationToken) =>
        inner.FindAsync(key, cancellationToken);

    public ValueTask<int> RemoveExpiredAsync(CancellationToken cancellationToken) => inner.RemoveExpiredAsync(cancellationToken);

    public ValueTask DisposeAsync() => inner.DisposeAsync();
}

/// <summary>Says of some writes that they were done, and does not do them.</summary>
/// <param name="inner">A store without the defect.</param>
/// <param name="isLost">Which.</param>
internal sealed class ForgetfulStore(ICoapClusterStore inner, Predicate<CoapRecordWrite> isLost) : PlantedStore(inner)
{
    public override async ValueTask<CoapWriteResult> WriteAsync(
        ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        bool[] lost = [.. batch.ToArray().Select(change => isLost(change))];
        CoapRecordWrite[] done = [.. batch.ToArray().Where((_, i) => !lost[i])];
        CoapWriteResult? result = done.Length > 0 ? await Inner.WriteAsync(done, cancellationToken) : null;
        CoapWriteOutcome[] outcomes = new CoapWriteOutcome[batch.Length];
        for ((int i, int at) = (0, 0); i < batch.Length; i++)
        {
            outcomes[i] = lost[i] ? CoapWriteOutcome.Written : result![at++];
        }

        return new CoapWriteResult(outcomes);
    }
}

/// <summary>Takes writes under old fences.</summary>
/// <param name="inner">A store without the defect.</param>
internal sealed class FencelessStore(ICoapClusterStore inner) : PlantedStore(inner)
{
    public override async ValueTask<CoapWriteResult> WriteAsync(
        ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        CoapClusterSlotMap? map = null;
        await foreach (CoapClusterSlotMap newest in Inner.WatchAsync(cancellationToken))
        {
            map = newest;
            break;
        }

        CoapRecordWrite[] changes = [.. batch.ToArray().Select(change => change.IsRemoval
            ? CoapRecordWrite.Remove(change.Key, map![change.Key.Slot].Fence)
            : CoapRecordWrite.Put(change.Key, map![change.Key.Slot].Fence, change.State, change.Lifetime))];
        return await Inner.WriteAsync(changes, cancellationToken);
    }
}

/// <summary>Lets nodes change the map whatever has changed since they saw it.</summary>
/// <param name="inner">A store without the defect.</param>
internal sealed class CarelessStore(ICoapClusterStore inner) : PlantedStore(inner)
{
    public override async ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken)
    {
        if (!await Inner.TryChangeAsync(wanted, cancellationToken))
        {
            await foreach (CoapClusterSlotMap newest in Inner.WatchAsync(cancellationToken))
            {
                CoapSlotOwner[] owners = [.. CoapSlot.All.Select(slot => wanted[slot])];
                return await Inner.TryChangeAsync(new CoapClusterSlotMap(newest.Version + 1, newest.Nodes, owners), cancellationToken);
            }
        }

        return true;
    }
}

/// <summary>Applies the last write of a session again after its removal.</summary>
/// <param name="inner">A store without the defect.</param>
/// <param name="isOn">Whether it does so now.</param>
internal sealed class RevivingStore(ICoapClusterStore inner, Func<bool> isOn) : PlantedStore(inner)
{
    private readonly Dictionary<CoapRecordKey, CoapRecordWrite> _last = [];

    public override async ValueTask<CoapWriteResult> WriteAsync(
        ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        CoapWriteResult result = await Inner.WriteAsync(batch, cancellationToken);
        List<CoapRecordWrite> revived = [];
        foreach (CoapRecordWrite change in batch.ToArray().Where(change => change.Key.Kind == CoapRecordKind.Session))
        {
            if (!change.IsRemoval)
            {
                _last[change.Key] = change;
            }
            else if (isOn() && _last.Remove(change.Key, out CoapRecordWrite last))
            {
                revived.Add(CoapRecordWrite.Put(change.Key, change.Fence, last.State, last.Lifetime));
            }
        }

        if (revived.Count > 0)
        {
            await Inner.WriteAsync(revived.ToArray(), cancellationToken);
        }

        return result;
    }
}

/// <summary>Shows its node a map in which it owns all slots, under the fences of their owners.</summary>
/// <param name="inner">A store without the defect.</param>
/// <param name="isOn">Whether it does so to a node now.</param>
internal sealed class SelfishStore(ICoapClusterStore inner, Predicate<CoapNodeId> isOn) : PlantedStore(inner)
{
    private CoapNodeId _self;

    public override ValueTask<CoapClusterSlotMap> JoinAsync(CoapClusterNode self, TimeSpan lease, CancellationToken cancellationToken)
    {
        _self = self.Id;
        return Inner.JoinAsync(self, lease, cancellationToken);
    }

    public override async IAsyncEnumerable<CoapClusterSlotMap> WatchAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        await foreach (CoapClusterSlotMap map in Inner.WatchAsync(cancellationToken))
        {
            yield return _self.IsSet && isOn(_self)
                ? new CoapClusterSlotMap(
                    map.Version, map.Nodes, [.. CoapSlot.All.Select(slot => map[slot] with { Node = _self })], map.StaleFence)
                : map;
        }
    }
}
