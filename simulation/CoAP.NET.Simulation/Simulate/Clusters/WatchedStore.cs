using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>Looks at what changes in the store.</summary>
/// <param name="world">The world.</param>
/// <param name="inner">The store.</param>
internal sealed class WatchedStore(ClusterWorld world, ICoapClusterStore inner) : PlantedStore(inner)
{
    public override async ValueTask<bool> TryChangeAsync(CoapClusterSlotMap wanted, CancellationToken cancellationToken)
    {
        bool isTaken = await Inner.TryChangeAsync(wanted, cancellationToken);
        if (isTaken)
        {
            world.OnChanged(wanted);
        }

        return isTaken;
    }

    public override async ValueTask<CoapWriteResult> WriteAsync(
        ReadOnlyMemory<CoapRecordWrite> batch, CancellationToken cancellationToken)
    {
        CoapWriteResult result = await Inner.WriteAsync(batch, cancellationToken);
        for (int i = 0; i < batch.Length; i++)
        {
            if (result[i] == CoapWriteOutcome.Written)
            {
                world.OnWritten(batch.Span[i]);
            }
        }

        return result;
    }
}
