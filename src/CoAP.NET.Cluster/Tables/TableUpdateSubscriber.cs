using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Writing;

namespace CoAP.NET.Cluster.Tables;

/// <summary>
/// Hears from the owners of slots what they changed, and asks them every two seconds up to which change they told: changes whose news were
/// lost are then read. Thread-safe.
/// </summary>
internal sealed class TableUpdateSubscriber(CoapCluster cluster, CoapRecordKind kind, ClusterReplicatedTableContents contents)
{
    private static readonly TimeSpan s_period = TimeSpan.FromSeconds(2);
    private readonly WakeSignal _up = new();

    /// <summary>Asks again and again, until it is canceled.</summary>
    public async Task RunAsync(CancellationToken stop)
    {
        while (cluster.Peers.IsOn && !stop.IsCancellationRequested)
        {
            Task up = _up.Next;
            await up.WaitAsync(s_period, contents.Time, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            await CheckAsync(stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }

    /// <summary>Asks all nodes once.</summary>
    public Task CheckAsync(CancellationToken stop) => Task.WhenAll(cluster.Peers.Up.Select(async node =>
    {
        if (await cluster.Peers.AskAsync(node, service => service.GetTablePositionsAsync(kind), s_period).WaitAsync(stop)
            .ConfigureAwait(false)
            is { } positions)
        {
            Apply(positions, static (slot, position) => slot.Check(position.Fence, position.Last));
        }
    }));

    public void ReceiveChanges(IEnumerable<ReplicatedTableChangeMessage> changes) =>
        Apply(changes, static (slot, change) => slot.ReceiveChanges(change));

    public void OnUp() => _up.Wake();

    private void Apply(
        IEnumerable<ReplicatedTableChangeMessage> changes, Action<ClusterReplicatedTableSlot, ReplicatedTableChangeMessage> apply)
    {
        foreach (ReplicatedTableChangeMessage change in changes)
        {
            ClusterReplicatedTableSlot slot = contents[change.Slot];
            lock (slot.Gate)
            {
                apply(slot, change);
            }
        }

        contents.ToRead.Wake();
    }
}
