using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.PubSub.Tests;

/// <summary>A node of a cluster with a broker and a server that has it.</summary>
internal sealed class TopicNode : IAsyncDisposable
{
    private static readonly byte[] s_secret = [.. Enumerable.Range(1, 32).Select(i => (byte)i)];

    private readonly NodeHub _hub;
    private readonly CutStore _store;

    private TopicNode(NodeHub hub, ICoapClusterStore store, bool keepsEach)
    {
        (_hub, _store) = (hub, new CutStore(store));
        CoapClusterOptions options = new() { Secrets = [s_secret], Lease = FromHours(1) };
        options.Moves.SettleTime = TimeSpan.Zero;
        options.Moves.RelayTime = TimeSpan.Zero;
        options.Writer.StopTimeout = FromSeconds(1);
        Cluster = hub.Make(_store, options);
        Broker = Server.MapPubSub("/ps", new CoapPubSubOptions
        {
            OpenTable = rules => Cluster.OpenTable(
                CoapReplicatedTableKind.Topics, rules, new CoapReplicatedTableOptions { Timeout = FromMinutes(1) }),
            KeepEachPublication = keepsEach,
            Limits = { PublicationsPerSecond = null },
        });
    }

    public CoapCluster Cluster { get; }

    public CoapServer Server { get; } = new();

    public CoapPubSubBroker Broker { get; }

    public string Uri => Server.LocalEndpoints[0].Origin();

    /// <summary>A node joins, and has slots.</summary>
    public static async Task<TopicNode> StartAsync(NodeHub hub, ICoapClusterStore store, bool keepsEach = false)
    {
        TopicNode node = new(hub, store, keepsEach);
        await node.Cluster.StartAsync();
        await node.Broker.StartAsync();
        await node.Server.Listen("coap://127.0.0.1:0").StartAsync();
        await Eventually.IsTrueAsync(() => node.Cluster.Map.SlotsOf(node.Cluster.Self.Id).Count > 0);
        return node;
    }

    /// <summary>Waits until some nodes have a fair share of the slots.</summary>
    public static Task ShareAsync(params TopicNode[] nodes) => Eventually.IsTrueAsync(() => nodes.All(node =>
        nodes.All(other => node.Cluster.Map.SlotsOf(other.Cluster.Self.Id).Count >= CoapSlot.Count / nodes.Length)));

    public CoapPubSubClient Of(CoapClient client) => new(client, $"{Uri}/ps");

    /// <summary>Nothing that it says arrives any more, and the others take its slots.</summary>
    public async Task KillAsync()
    {
        _hub.Kill(Cluster.Self.Id);
        await _store.CutAsync();
        await Server.DisposeAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        await Broker.DisposeAsync();
        await Cluster.DisposeAsync();
    }
}
