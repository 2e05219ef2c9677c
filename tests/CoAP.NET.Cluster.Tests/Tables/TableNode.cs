using CoAP.NET.Cluster.Tables;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>A node with a table of texts.</summary>
internal sealed class TableNode(CoapCluster cluster, CutStore store, CoapReplicatedTableOptions options) : IAsyncDisposable
{
    public CoapCluster Cluster { get; } = cluster;

    public CutStore Store { get; } = store;

    public NoteRules Rules { get; } = new();

    public CoapReplicatedTable Table => field ??= Cluster.OpenTable(TableWorld.Kind, Rules, options);

    public ClusterReplicatedTable Inner => (ClusterReplicatedTable)Table;

    public ValueTask DisposeAsync() => Cluster.DisposeAsync();
}
