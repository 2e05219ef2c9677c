using CoAP.NET.Cluster.Maps;
using CoAP.NET.Orleans.Tests.Devices;
using CoAP.NET.PubSub;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.Tables;

namespace CoAP.NET.Orleans.Tests.Tables;

/// <summary>A directory and topics that several silos have together.</summary>
/// <remarks>Real clock: the silos connect over loopback.</remarks>
public sealed class SharedTableTests : IAsyncDisposable
{
    // So many that each silo decides about some of them.
    private const int Many = 24;

    private readonly SiloWorld _world = new();
    private readonly CoapClient _client = new();
    private readonly List<CoapServer> _servers = [];
    private readonly List<IAsyncDisposable> _tables = [];

    public async ValueTask DisposeAsync()
    {
        await _client.DisposeAsync();
        foreach (IAsyncDisposable one in (IEnumerable<IAsyncDisposable>)[.. _servers, .. _tables])
        {
            await one.DisposeAsync();
        }

        await _world.DisposeAsync();
    }

    [Fact]
    public async Task A_registration_at_a_silo_can_be_looked_up_observed_and_removed_at_another_silo()
    {
        await StartAsync((cluster, server) =>
        {
            CoapDirectoryServer directory = new(cluster, new CoapDirectoryOptions { Limits = { Timeout = FromMinutes(1) } });
            server.Routes.MapResourceDirectory(directory);
            return (directory, directory.StartAsync());
        });
        await using CoapObservation observed = await _client.ObserveAsync($"{Uri(1)}/rd-lookup/res?rt=light");
        List<string> locations = [];
        for (int i = 0; i < Many; i++)
        {
            CoapResponse made = await _client.SendAsync(new CoapRequest(CoapMethod.Post, $"{Uri(0)}/rd?ep=n{i}&base=coap://b")
            {
                Content = new CoapContent("</x>;rt=light"u8.ToArray(), CoapContentFormat.LinkFormat),
            });
            Assert.True(made.Code == CoapCode.Created, $"{made.Code} {made.GetText()}");
            locations.Add("/" + string.Join('/', made.Options.LocationPath));
        }

        await Eventually.IsTrueAsync(() => LinksOf(observed) == Many);
        Assert.Equal(
            (await _client.GetAsync($"{Uri(0)}/rd-lookup/ep")).GetText(), (await _client.GetAsync($"{Uri(1)}/rd-lookup/ep")).GetText());
        foreach (string location in locations)
        {
            await _client.DeleteAsync(Uri(1) + location).Gives(CoapCode.Deleted);
        }

        await Eventually.IsTrueAsync(() => LinksOf(observed) == 0);

        static int LinksOf(CoapObservation observed) =>
            observed.Latest is { IsSuccess: true } latest ? CoapLinkFormat.Parse(latest.GetText()).Count : -1;
    }

    [Fact]
    public async Task A_publication_at_a_silo_reaches_the_subscribers_at_another_silo()
    {
        await StartAsync((cluster, server) =>
        {
            CoapPubSubBroker broker = server.MapPubSub("/ps", new CoapPubSubOptions
            {
                OpenTable = rules => cluster.OpenTable(
                    CoapReplicatedTableKind.Topics, rules, new CoapReplicatedTableOptions { Timeout = FromMinutes(1) }),
            });
            return (broker, broker.StartAsync());
        });
        CoapPubSubClient publisher = new(_client, $"{Uri(0)}/ps");
        List<CoapObservation> observed = [];
        for (int i = 0; i < Many; i++)
        {
            CoapTopic topic = await publisher.CreateAsync(new CoapTopicProperties($"topic {i}"));
            await topic.PublishAsync(CoapContent.Text("first"));
            string data = new Uri((await topic.FindDataAsync()).ToString()).AbsolutePath;
            for (int looks = 0; !(await _client.GetAsync(Uri(1) + data)).IsSuccess; looks++)
            {
                // The other silo has not read it yet.
                await Eventually.PauseAsync(looks);
            }

            observed.Add(await _client.ObserveAsync(Uri(1) + data));
            await topic.PublishAsync(CoapContent.Text($"{i}"));
        }

        await Eventually.IsTrueAsync(() => observed.Select((each, i) => each.Latest?.GetText() == $"{i}").All(it => it));
        foreach (CoapObservation each in observed)
        {
            await each.DisposeAsync();
        }
    }

    private async Task StartAsync(Func<CoapCluster, CoapServer, (IAsyncDisposable Table, Task Started)> map)
    {
        TestSilo[] silos = [await _world.StartSiloAsync(), await _world.StartSiloAsync()];
        await Eventually.IsTrueAsync(() => silos.All(silo => silos.All(other =>
            silo.Cluster.Map.SlotsOf(other.Node).Count == CoapSlot.Count / silos.Length)));
        foreach (TestSilo silo in silos)
        {
            CoapServer server = new();
            (IAsyncDisposable table, Task started) = map(silo.Cluster, server);
            _servers.Add(server);
            _tables.Add(table);
            await started;
            await server.Listen("coap://127.0.0.1:0").StartAsync();
        }
    }

    private string Uri(int silo) => _servers[silo].LocalEndpoints[0].Origin();
}
