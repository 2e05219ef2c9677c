using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>Nodes that share slots, and have the same table.</summary>
/// <param name="open">Opens the store for a node.</param>
/// <param name="clock">The clock of the nodes; null for that of the system.</param>
internal sealed class TableWorld(Func<ICoapClusterStore> open, VirtualClock? clock = null) : IAsyncDisposable
{
    /// <summary>A kind of records for tables of applications.</summary>
    public const CoapReplicatedTableKind Kind = CoapReplicatedTableKind.Application;

    private static readonly TimeSpan s_long = FromMinutes(10);
    private readonly List<TableNode> _all = [];

    public NodeHub Hub { get; } = new();

    /// <summary>How long nodes wait before they share slots anew.</summary>
    public TimeSpan Settle { get; set; }

    /// <summary>Those that are there.</summary>
    public List<TableNode> Nodes { get; } = [];

    /// <summary>A node joins, and has loaded the table.</summary>
    public async Task<TableNode> AddAsync(CoapReplicatedTableOptions? options = null, Action<TableNode>? prepare = null)
    {
        CutStore store = new(open());
        CoapClusterOptions cluster = ClusterTests.Options(FromHours(1));
        cluster.Moves.SettleTime = Settle;
        cluster.Writer.StopTimeout = FromSeconds(1);
        cluster.Moves.RelayTime = TimeSpan.Zero;
        cluster.Moves.LeaveTimeout = FromMinutes(2);
        cluster.Moves.ReleaseTimeout = FromMinutes(2);
        TableNode node = new(Hub.Make(store, cluster, clock), store, options ?? Patient());
        Nodes.Add(node);
        _all.Add(node);
        prepare?.Invoke(node);
        await PassAsync(node.Cluster.StartAsync());
        await PassAsync(node.Table.StartAsync());
        return node;
    }

    /// <summary>Some nodes join, and share the slots.</summary>
    public async Task StartAsync(int count)
    {
        for (int i = 0; i < count; i++)
        {
            await AddAsync();
        }

        await FairAsync();
        await AgreeAsync();
    }

    /// <summary>Waits, and lets time pass.</summary>
    public Task UntilAsync(Func<bool> condition) =>
        clock is null ? Eventually.IsTrueAsync(condition) : clock.AdvanceUntilAsync(condition, s_long);

    /// <summary>Waits, and lets time pass.</summary>
    public async Task PassAsync(Task task)
    {
        await UntilAsync(() => task.IsCompleted);
        await task;
    }

    /// <summary>Waits until the nodes share the slots.</summary>
    public Task FairAsync() => UntilAsync(() => SharingNodes.AreFair([.. Nodes.Select(node => node.Cluster)]));

    /// <summary>Waits until each node has what the owners have.</summary>
    public Task AgreeAsync() => UntilAsync(() => CoapSlot.All.All(slot => Nodes.Any(node => node.Inner.Owns(slot)))
        && Nodes.All(node => Nodes.All(other => node.Inner.HasHeard(other.Inner))));

    /// <summary>Each node has shown its rules the same.</summary>
    public void AssertSame()
    {
        Dictionary<CoapTableKey, string> first = new(Nodes[0].Rules.Told);
        foreach (TableNode node in Nodes)
        {
            Assert.Equal(first.Count, node.Table.Count);
            Assert.Equal(Nodes[0].Table.Bytes, node.Table.Bytes);
            Assert.Equal(
                first.OrderBy(one => one.Key.ToString(), StringComparer.Ordinal),
                node.Rules.Told.OrderBy(one => one.Key.ToString(), StringComparer.Ordinal));
        }
    }

    /// <summary>The node that decides about a slot, and one that does not.</summary>
    public (TableNode Owner, TableNode Other) Of(int slot)
    {
        TableNode owner = Nodes.Single(node => node.Cluster.Map[new CoapSlot((byte)slot)].Node == node.Cluster.Self.Id);
        return (owner, Nodes.First(node => node != owner));
    }

    /// <summary>Nothing that one node sends arrives at another one.</summary>
    public void Lose(TableNode from, TableNode to) =>
        Hub.Loses = (one, other) => one == from.Cluster.Self.Id && other == to.Cluster.Self.Id;

    /// <summary>A node leaves as at a shutdown.</summary>
    public async Task LeaveAsync(TableNode node)
    {
        await PassAsync(node.Cluster.LeaveAsync());
        Nodes.Remove(node);
        await PassAsync(node.DisposeAsync().AsTask());
    }

    /// <summary>A node is killed: nothing it says arrives any more.</summary>
    public async Task KillAsync(TableNode node)
    {
        Nodes.Remove(node);
        Hub.Kill(node.Cluster.Self.Id);
        await node.Store.CutAsync();
        await node.Table.DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        Hub.Loses = null;
        foreach (TableNode node in _all)
        {
            node.Store.Wake();
            await PassAsync(node.DisposeAsync().AsTask());
        }
    }

    // As long as the guard against hanging, whatever else the machine does.
    private static CoapReplicatedTableOptions Patient() => new() { Timeout = FromMinutes(1) };
}
