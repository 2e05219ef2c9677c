using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Nodes;

/// <summary>Several nodes that share slots, with a store in memory, and leases that last as long as a test.</summary>
internal sealed class SharingNodes : IAsyncDisposable
{
    public SharingNodes() => Memory = new CoapMemoryCluster(Clock);

    public VirtualClock Clock { get; } = new();

    public CoapMemoryCluster Memory { get; }

    public NodeHub Hub { get; } = new();

    public List<CoapCluster> All { get; } = [];

    public List<CutStore> Stores { get; } = [];

    /// <summary>Waits until they have fair shares.</summary>
    /// <param name="nodes">The nodes.</param>
    public static Task FairAsync(IReadOnlyList<CoapCluster> nodes) => Eventually.IsTrueAsync(() => AreFair(nodes));

    /// <summary>Whether they have fair shares, as each of them sees it.</summary>
    public static bool AreFair(IReadOnlyList<CoapCluster> nodes)
    {
        int share = CoapSlot.Count / nodes.Count;
        return nodes.All(node => nodes.Sum(other => node.Map.SlotsOf(other.Self.Id).Count) == CoapSlot.Count
            && nodes.All(other => node.Map.SlotsOf(other.Self.Id).Count is var count && (count == share || count == share + 1)));
    }

    /// <summary>Starts a node that shares at once and relays nothing at its end.</summary>
    public async Task<CoapCluster> StartAsync(Action<CoapSlotMoveOptions>? configure = null, bool shares = true)
    {
        CoapCluster node = Make(configure, shares);
        await node.StartAsync();
        await Eventually.IsTrueAsync(() => node.Map.Orphans().Count == 0);
        return node;
    }

    /// <summary>Makes one that is not started.</summary>
    public CoapCluster Make(Action<CoapSlotMoveOptions>? configure = null, bool shares = true)
    {
        CoapClusterOptions options = ClusterTests.Options(FromHours(1));
        options.Moves.SettleTime = TimeSpan.Zero;
        options.Moves.RelayTime = TimeSpan.Zero;
        configure?.Invoke(options.Moves);
        CutStore store = new(Memory.Open());
        CoapCluster node = shares ? Hub.Make(store, options, Clock) : new CoapCluster(store, options, Clock);
        Stores.Add(store);
        All.Add(node);
        return node;
    }

    /// <summary>A node dies: nothing that it says arrives at the store, and the others hear of its death.</summary>
    public Task KillAsync(int index)
    {
        Hub.Kill(All[index].Self.Id);
        return Stores[index].CutAsync();
    }

    public async ValueTask DisposeAsync()
    {
        foreach (CoapCluster node in All)
        {
            await node.DisposeAsync();
        }
    }
}
