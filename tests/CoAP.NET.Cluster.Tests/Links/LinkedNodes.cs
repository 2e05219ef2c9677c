using CoAP.NET.Tests;

namespace CoAP.NET.Cluster.Tests.Links;

/// <summary>Nodes of one cluster in this process, with links over loopback.</summary>
internal sealed class LinkedNodes : IAsyncDisposable
{
    public static readonly byte[] Secret = [.. Enumerable.Range(1, 32).Select(static i => (byte)i)];

    private readonly CoapMemoryCluster _memory = new();
    private readonly List<CoapCluster> _nodes = [];

    /// <summary>Makes a node that was not started.</summary>
    public CoapCluster Add(string address = "", TimeProvider? time = null, Action<CoapClusterOptions>? configure = null)
    {
        CoapClusterOptions options = Options(address);
        configure?.Invoke(options);
        CoapCluster node = new(_memory.Open(), options, time);
        _nodes.Add(node);
        return node;
    }

    /// <summary>Starts all nodes, and waits until each is linked with each other one.</summary>
    public async Task StartAsync()
    {
        foreach (CoapCluster node in _nodes.Where(static node => node.Links.Address.Length == 0))
        {
            await node.StartAsync();
        }

        await AreLinkedAsync([.. _nodes]);
    }

    public static Task AreLinkedAsync(params CoapCluster[] nodes) => Eventually.IsTrueAsync(() =>
        nodes.All(node => nodes.All(other => other == node || node.Links.IsUp(other.Self.Id))));

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
}
