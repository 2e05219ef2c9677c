using System.Collections.Concurrent;
using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Settings;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Cluster.Tables;

/// <summary>The tables of a node: answers the other nodes, and releases slots that move. Thread-safe.</summary>
internal sealed class ClusterReplicatedTables : ISlotStateHolder, INodeLivenessListener
{
    private readonly CoapCluster _cluster;
    private readonly TimeProvider _time;
    private readonly ILogger _logger;
    private readonly ConcurrentDictionary<CoapRecordKind, ClusterReplicatedTable> _tables = new();

    public ClusterReplicatedTables(CoapCluster cluster, TimeProvider time, ILogger logger)
    {
        (_cluster, _time, _logger) = (cluster, time, logger);
        cluster.MapChanged += (_, _) => ForEach(static table => table.OnMapChanged());
        if (cluster.Peers.IsOn)
        {
            cluster.Peers.Listen(this);
        }
    }

    public long Count => _tables.Values.Sum(static table => (long)table.Count);

    /// <summary>The bytes of their keys and values.</summary>
    public long Bytes => _tables.Values.Sum(static table => table.Bytes);

    public CoapReplicatedTable Open(CoapRecordKind kind, ICoapReplicatedTableRules rules, CoapReplicatedTableOptions? options)
    {
        ArgumentNullException.ThrowIfNull(rules);
        if (kind is not (CoapRecordKind.Registration or CoapRecordKind.Topic or >= CoapRecordKind.Application))
        {
            throw new ArgumentOutOfRangeException(nameof(kind), kind, "Records of this kind do not belong to a table. Use Registration, "
                + "Topic, or a number from Application on.");
        }

        ClusterReplicatedTable table = new(
            _cluster, kind, rules, (options ?? new CoapReplicatedTableOptions()).MakeReadOnlyFor("a table"), _time, _logger);
        return _tables.TryAdd(kind, table)
            ? table
            : throw new InvalidOperationException($"The table of {kind} is already open. Dispose of it first, or use another kind.");
    }

    public void Remove(CoapRecordKind kind, ClusterReplicatedTable table) => _tables.TryRemove(KeyValuePair.Create(kind, table));

    public Task ReleaseAsync(CoapSlot slot, CancellationToken cancellationToken) =>
        Task.WhenAll(_tables.Values.Select(table => table.ReleaseAsync(slot))).WaitAsync(cancellationToken);

    public void OnUp(CoapNodeId node) => ForEach(static table => table.OnUp());

    public void OnDown(CoapNodeId node)
    {
        // Others get its slots.
    }

    public async Task EndAsync()
    {
        foreach (ClusterReplicatedTable table in _tables.Values)
        {
            await table.DisposeAsync().ConfigureAwait(false);
        }
    }

    /// <summary>Answers a question of another node.</summary>
    public async Task<TableAnswer?> ServeAsync(TableQuestion question) =>
        question.Content.Length <= CoapReplicatedTable.MaxQuestionLength && _tables.GetValueOrDefault(question.Table) is { } table
            ? await table.ServeAsync(question.Node, question.Key, question.Content).ConfigureAwait(false)
            : TableAnswer.Moved;

    /// <summary>Returns up to which change of each slot this node has told the others; null if it does not have the table.</summary>
    public IReadOnlyList<ReplicatedTableChangeMessage>? PositionsOf(CoapRecordKind kind) =>
        _tables.GetValueOrDefault(kind)?.News.GetPositions();

    /// <summary>Handles changes that another node tells of.</summary>
    public void ReceiveChanges(IEnumerable<ReplicatedTableChangeMessage> changes)
    {
        foreach (IGrouping<CoapRecordKind, ReplicatedTableChangeMessage> some in changes.GroupBy(static change => change.Table))
        {
            _tables.GetValueOrDefault(some.Key)?.ReceiveChanges(some);
        }
    }

    private void ForEach(Action<ClusterReplicatedTable> tell)
    {
        foreach (ClusterReplicatedTable table in _tables.Values)
        {
            tell(table);
        }
    }
}
