using CoAP.NET.ResourceDirectory;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>A Resource Directory on several nodes of a real database.</summary>
[Collection(PostgreSqlCollection.Name)]
[External("postgres")]
public sealed class PostgreSqlDirectoryTests(PostgreSqlServer server)
{
    private const int Endpoints = 40;

    [Fact]
    public async Task Registrations_are_on_all_nodes_and_survive_the_replacement_of_a_killed_node()
    {
        await using CoapClient client = new();
        NodeHub hub = new();
        await using Node one = await Node.StartAsync(server, hub);
        Node two = await Node.StartAsync(server, hub);
        await SharingNodes.FairAsync([one.Cluster, two.Cluster]);
        string[] locations = new string[Endpoints];
        for (int i = 0; i < Endpoints; i++)
        {
            CoapResponse made = await client.SendAsync(new CoapRequest(
                CoapMethod.Post, $"{(i % 2 == 0 ? one : two).Uri}/rd?ep=n{i}&base=coap://b")
            {
                Content = new CoapContent("</x>;rt=light"u8.ToArray(), CoapContentFormat.LinkFormat),
            });
            Assert.True(made.Code == CoapCode.Created, $"{made.Code} {made.GetText()}");
            locations[i] = "/" + string.Join('/', made.Options.LocationPath);
        }

        await Eventually.IsTrueAsync(() => one.Directory.Count == Endpoints && two.Directory.Count == Endpoints);
        string all = (await client.GetAsync(one.Uri + "/rd-lookup/ep")).GetText();
        await client.GetAsync(two.Uri + "/rd-lookup/ep").Says(all);

        await two.KillAsync();
        await using Node three = await Node.StartAsync(server, hub);
        await SharingNodes.FairAsync([one.Cluster, three.Cluster]);
        await client.GetAsync(three.Uri + "/rd-lookup/ep").Says(all);
        for (int i = 0; i < Endpoints; i++)
        {
            CoapResponse removed = await client.DeleteAsync((i % 2 == 0 ? three : one).Uri + locations[i]);
            Assert.True(removed.Code == CoapCode.Deleted, $"{removed.Code} {removed.GetText()}");
        }

        await Eventually.IsTrueAsync(() => one.Directory.Count == 0 && three.Directory.Count == 0);
    }

    private sealed class Node : IAsyncDisposable
    {
        private readonly CutStore _store;
        private readonly NodeHub _hub;

        private Node(PostgreSqlServer server, NodeHub hub)
        {
            _hub = hub;
            _store = new CutStore(new CoapPostgreSqlClusterStore(
                new CoapPostgreSqlClusterOptions { ConnectionString = server.ConnectionString, Schema = "directory" }));
            CoapClusterOptions options = ClusterTests.Options();
            options.Moves.SettleTime = TimeSpan.Zero;
            options.Moves.RelayTime = TimeSpan.Zero;
            options.Writer.StopTimeout = FromSeconds(1);
            Cluster = hub.Make(_store, options);
            Directory = new CoapDirectoryServer(Cluster, new CoapDirectoryOptions { Limits = { Timeout = FromMinutes(1) } });
            Server.Routes.MapResourceDirectory(Directory);
        }

        public CoapCluster Cluster { get; }

        public CoapDirectoryServer Directory { get; }

        public CoapServer Server { get; } = new();

        public string Uri => Server.LocalEndpoints[0].Origin();

        public static async Task<Node> StartAsync(PostgreSqlServer server, NodeHub hub)
        {
            Node node = new(server, hub);
            await node.Cluster.StartAsync();
            await node.Directory.StartAsync();
            await node.Server.Listen("coap://127.0.0.1:0").StartAsync();
            return node;
        }

        /// <summary>Nothing it says arrives any more.</summary>
        public async Task KillAsync()
        {
            _hub.Kill(Cluster.Self.Id);
            await _store.CutAsync();
            await DisposeAsync();
        }

        public async ValueTask DisposeAsync()
        {
            await Server.DisposeAsync();
            await Directory.DisposeAsync();
            await Cluster.DisposeAsync();
        }
    }
}
