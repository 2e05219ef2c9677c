using CoAP.NET.Cluster.Sqlite;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.PubSub.Tests;

/// <summary>Topics in the table of a cluster: the same on all nodes, and there after a restart.</summary>
/// <remarks>Real clock: clients reach the nodes over loopback.</remarks>
public sealed class SeveralNodesTests
{
    private readonly NodeHub _hub = new();

    [Fact]
    public async Task A_publication_at_a_node_reaches_the_subscribers_at_another_node()
    {
        const int Topics = 8;
        CoapMemoryCluster memory = new();
        await using TopicNode one = await TopicNode.StartAsync(_hub, memory.Open());
        await using TopicNode two = await TopicNode.StartAsync(_hub, memory.Open());
        await TopicNode.ShareAsync(one, two);
        await using CoapClient client = new();
        CoapTopic[] made = new CoapTopic[Topics];
        List<CoapObservation> observations = [];
        for (int i = 0; i < Topics; i++)
        {
            made[i] = await one.Of(client).CreateAsync(new CoapTopicProperties($"topic {i}"));
            Assert.True(await made[i].PublishAsync(CoapContent.Text("0")));
        }

        await Eventually.IsTrueAsync(() => two.Broker.GetCounters().Topics == Topics);
        for (int i = 0; i < Topics; i++)
        {
            // At the other node.
            string data = $"{two.Uri}{new Uri((await made[i].FindDataAsync()).ToString()).AbsolutePath}";
            observations.Add(await client.ObserveAsync(data));
            await Eventually.IsTrueAsync(() => observations[^1].Latest is { IsSuccess: true });
        }

        Assert.Equal((0, Topics), (one.Broker.GetCounters().Subscribers, two.Broker.GetCounters().Subscribers));
        for (int i = 0; i < Topics; i++)
        {
            await made[i].PublishAsync(CoapContent.Text($"{i + 1}"));
        }

        await Eventually.IsTrueAsync(() => observations.Select((each, i) => each.Latest!.GetText() == $"{i + 1}").All(it => it));
        for (int i = 0; i < Topics; i++)
        {
            // Published at the other one, read at the first one.
            await two.Of(client).At(new Uri(made[i].Uri.ToString()).AbsolutePath).PublishAsync(CoapContent.Text("back"));
        }

        foreach (CoapTopic topic in made)
        {
            await IsAsync("back", topic);
            Assert.True(await topic.DeleteAsync());
        }

        await Eventually.IsTrueAsync(() => observations.All(each => each.Latest!.Code == CoapCode.NotFound));
        Assert.Equal(0, two.Broker.GetCounters().Topics);
        foreach (CoapObservation observation in observations)
        {
            await observation.DisposeAsync();
        }
    }

    [Fact]
    public async Task A_topic_name_requested_at_both_nodes_concurrently_is_created_once()
    {
        const int Names = 16;
        CoapMemoryCluster memory = new();
        await using TopicNode one = await TopicNode.StartAsync(_hub, memory.Open());
        await using TopicNode two = await TopicNode.StartAsync(_hub, memory.Open());
        await TopicNode.ShareAsync(one, two);
        await using CoapClient client = new();
        bool[] made = await Task.WhenAll(Enumerable.Range(0, 2 * Names).Select(async i =>
        {
            try
            {
                await (i % 2 == 0 ? one : two).Of(client).CreateAsync(new CoapTopicProperties($"name {i / 2}"));
                return true;
            }
            catch (CoapResponseException exception) when (exception.Response.Code == CoapCode.BadRequest)
            {
                return false;
            }
        }));
        for (int i = 0; i < Names; i++)
        {
            Assert.True(made[2 * i] != made[(2 * i) + 1], $"Name {i}: {made[2 * i]} and {made[(2 * i) + 1]}.");
        }

        await Eventually.IsTrueAsync(() => one.Broker.GetCounters().Topics == Names && two.Broker.GetCounters().Topics == Names);
    }

    [Fact]
    public async Task Topics_and_their_data_survive_a_restart_with_SQLite()
    {
        string folder = Directory.CreateTempSubdirectory("coap-topics-").FullName;
        try
        {
            string file = Path.Combine(folder, "coap.db");
            await using CoapClient client = new();
            string path;
            await using (TopicNode first = await TopicNode.StartAsync(_hub, new CoapSqliteClusterStore(file)))
            {
                CoapTopic topic = await first.Of(client).CreateAsync(
                    new CoapTopicProperties("kept") { ContentFormat = CoapContentFormat.TextPlain, MaxSubscribers = 3 });
                await topic.PublishAsync(CoapContent.Text("1"));
                await topic.PublishAsync(CoapContent.Text("2"));
                path = new Uri(topic.Uri.ToString()).AbsolutePath;
            }

            await using TopicNode again = await TopicNode.StartAsync(_hub, new CoapSqliteClusterStore(file));
            CoapTopic kept = again.Of(client).At(path);
            CoapTopicProperties properties = await kept.ReadAsync();
            Assert.Equal(("kept", 3u), (properties.Name, properties.MaxSubscribers!.Value));
            Assert.Equal("2", (await kept.GetDataAsync())!.GetText());
            Assert.False(await kept.PublishAsync(CoapContent.Text("3")));
            await Assert.ThrowsAsync<CoapResponseException>(() => again.Of(client).CreateAsync(new CoapTopicProperties("kept")));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task A_broker_runs_in_a_cluster_as_the_page_shows()
    {
        CancellationToken cancellationToken = CancellationToken.None;
        await using CoapCluster cluster = new(
            new CoapMemoryCluster().Open(), new CoapClusterOptions { Secrets = [CoapSealedClusterStore.NewSecret()] });
        await using CoapServer server = new();
        server.Listen("coap://127.0.0.1:0");
        CoapPubSubBroker topics = server.MapPubSub("/ps", new CoapPubSubOptions
        {
            Tables = cluster,
        });
        await cluster.StartAsync(cancellationToken);
        await topics.StartAsync(cancellationToken);
        await server.StartAsync(cancellationToken);
        await using CoapClient client = new();
        CoapPubSubClient collection = new(client, $"{server.LocalEndpoints[0]}ps");
        CoapTopic topic = await collection.CreateAsync(new CoapTopicProperties("x"), cancellationToken);
        Assert.True(await topic.PublishAsync(CoapContent.Text("1"), cancellationToken));
        Assert.Equal(1, topics.GetCounters().Topics);
    }

    private static async Task IsAsync(string expected, CoapTopic topic)
    {
        for (int looks = 0; (await topic.GetDataAsync())!.GetText() != expected; looks++)
        {
            await Eventually.PauseAsync(looks);
        }
    }

}
