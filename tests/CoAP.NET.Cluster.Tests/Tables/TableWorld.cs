using CoAP.NET.Cluster.Tests.Links;
using CoAP.NET.Cluster.Tests.Nodes;
using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>Nodes with links over loopback that share slots, and have the same table.</summary>
internal sealed class TableWorld(Func<ICoapClusterStore> open) : IAsyncDisposable
{
    /// <summary>A kind of records for tables of applications.</summary>
    public const CoapTableKind Kind = CoapTableKind.Application;

    private readonly List<TableNode> _all = [];

    /// <summary>How long nodes wait before they share slots anew.</summary>
    public TimeSpan Settle { get; set; }

    /// <summary>Those that are there.</summary>
    public List<TableNode> Nodes { get; } = [];

    /// <summary>A node joins, and has loaded the table.</summary>
    public async Task<TableNode> AddAsync(CoapTableOptions? options = null, bool isStarted = true)
    {
        CutStore store = new(open());
        CoapClusterOptions cluster = LinkedNodes.Options();
        cluster.Moves.SettleTime = Settle;
        cluster.Writer.StopTimeout = TimeSpan.FromSeconds(1);
        cluster.Moves.RelayTime = TimeSpan.Zero;
        cluster.Moves.LeaveTimeout = TimeSpan.FromMinutes(2);
        cluster.Moves.ReleaseTimeout = TimeSpan.FromMinutes(2);
        TableNode node = new(new CoapCluster(store, cluster), store, options ?? Patient());
        Nodes.Add(node);
        _all.Add(node);
        await node.Cluster.StartAsync();
        if (isStarted)
        {
            await node.Table.StartAsync();
        }

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
    }

    /// <summary>Waits until the nodes share the slots and are linked.</summary>
    public async Task FairAsync()
    {
        await SharingNodes.FairAsync([.. Nodes.Select(static node => node.Cluster)]);
        await LinkedNodes.AreLinkedAsync([.. Nodes.Select(static node => node.Cluster)]);
    }

    /// <summary>Waits until each node has what the owners have.</summary>
    public Task AgreeAsync() => Eventually.IsTrueAsync(() => CoapSlot.All.All(slot => Nodes.Any(node => node.Inner.Owns(slot)))
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
                first.OrderBy(static one => one.Key.ToString(), StringComparer.Ordinal),
                node.Rules.Told.OrderBy(static one => one.Key.ToString(), StringComparer.Ordinal));
        }
    }

    /// <summary>The node that decides about a slot.</summary>
    public TableNode OwnerOf(CoapSlot slot) => Nodes.Single(node => node.Cluster.Map[slot].Node == node.Cluster.Self.Id);

    /// <summary>A node leaves as at a shutdown.</summary>
    public async Task LeaveAsync(TableNode node)
    {
        await node.Cluster.LeaveAsync();
        Nodes.Remove(node);
        await node.DisposeAsync();
    }

    /// <summary>A node is killed: nothing it says arrives any more.</summary>
    public async Task KillAsync(TableNode node)
    {
        Nodes.Remove(node);
        await node.Store.CutAsync();
        await node.Cluster.Links.DisposeAsync();
        await node.Table.DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (TableNode node in _all)
        {
            node.Store.Wake();
            await node.DisposeAsync();
        }
    }

    // As long as the guard against hanging, whatever else the machine does.
    private static CoapTableOptions Patient() => new() { Timeout = TimeSpan.FromMinutes(1) };
}
