using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Links;

/// <summary>Nodes of one cluster in this process, with links over loopback.</summary>
internal sealed class LinkedNodes : IAsyncDisposable
{
    public static readonly byte[] Secret = [.. Enumerable.Range(1, 32).Select(static i => (byte)i)];

    // Pauses of links and the time for which changes are collected are shorter; all else lasts longer.
    private static readonly TimeSpan s_soon = TimeSpan.FromMilliseconds(300);
    private static readonly TimeSpan s_step = TimeSpan.FromMilliseconds(5);

    private readonly CoapMemoryCluster _memory = new();
    private readonly List<CoapCluster> _nodes = [];

    /// <summary>The time of the nodes that were given no other.</summary>
    public VirtualClock Clock { get; } = new();

    /// <summary>Makes a node that was not started.</summary>
    public CoapCluster Add(string address = "", TimeProvider? time = null, Action<CoapClusterOptions>? configure = null)
    {
        CoapClusterOptions options = Options(address);
        configure?.Invoke(options);
        CoapCluster node = new(_memory.Open(), options, time ?? Clock);
        _nodes.Add(node);
        return node;
    }

    /// <summary>Starts the nodes that were not started, and waits until each is linked with each other one.</summary>
    public async Task StartAsync(CuttableWire? wire = null)
    {
        foreach (CoapCluster node in _nodes.Where(static node => node.Links.BoundAddress is null))
        {
            await node.StartAsync();
            wire?.Target = ClusterLinksTests.PortOf(node);
        }

        await PassUntilLinkedAsync([.. _nodes]);
    }

    /// <summary>Waits until each of some nodes, whose time passes by itself, is linked with each other one.</summary>
    public static Task AreLinkedAsync(params CoapCluster[] nodes) => Eventually.IsTrueAsync(() => AreLinked(nodes));

    /// <summary>Waits, and lets time pass, until each of some nodes is linked with each other one.</summary>
    public Task PassUntilLinkedAsync(params CoapCluster[] nodes) => PassUntilAsync(() => AreLinked(nodes));

    /// <summary>Waits, and lets time pass for what is due soon; no pings and deadlines are among that.</summary>
    public Task PassUntilAsync(Func<bool> condition) => Eventually.IsTrueAsync(() =>
    {
        if (condition())
        {
            return true;
        }

        if (Clock.NextDue is { } due && due - Clock.Elapsed < s_soon)
        {
            Clock.Advance(s_step);
        }

        return false;
    });

    public async ValueTask DisposeAsync()
    {
        foreach (CoapCluster node in _nodes)
        {
            await node.DisposeAsync();
        }
    }

    public static CoapClusterOptions Options(string address = "", byte[]? secret = null) => new()
    {
        Secret = secret ?? Secret,
        LinkAddress = "coaps+tcp://127.0.0.1:0",
        Address = address,
        Lease = TimeSpan.FromHours(1),
    };

    private static bool AreLinked(CoapCluster[] nodes) =>
        nodes.All(node => nodes.All(other => other == node || node.Links.IsUp(other.Self.Id)));
}
