using System.Net;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.PubSub.Tests;

/// <summary>Clients that want to harm: the broker's bounds and owners hold.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class HostileTests
{
    [Theory]
    [InlineData("</x>;rt=\"core.ps.conf\",</ps/y>")]
    [InlineData("<script>alert(1)</script>")]
    [InlineData("../../etc/passwd")]
    [InlineData("\u202egnp.exe")]
    public async Task A_topic_name_with_markup_appears_neither_in_a_list_nor_in_a_path(string name)
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties(name));
        string list = (await world.AskAsync(CoapMethod.Get, "/ps")).Response.GetText();
        Assert.Matches("^</ps/[0-9a-f]{12}>;rt=\"core.ps.conf\"$", list);
        Assert.Equal(name, (await world.RunAsync(() => topic.ReadAsync())).Name);
    }

    [Theory]
    [InlineData("x\r\n2.01 forged", null, null)]
    [InlineData("x\u0000", null, null)]
    [InlineData("x\u009b31m", null, null)]
    [InlineData("x", "a\nb", null)]
    [InlineData("x", null, "a\" b=\"c")]
    [InlineData("x", null, "a>,</y")]
    public async Task Control_characters_and_types_that_would_break_a_link_are_refused(string name, string? kind, string? type)
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopicProperties properties = new(name) { TopicType = kind, ResourceType = type };
        CoapResponseException refused = await Assert.ThrowsAsync<CoapResponseException>(() => world.CreateAsync(properties));
        Assert.Equal(CoapCode.BadRequest, refused.Response.Code);
        Assert.Equal((0, 1L), (world.Broker.GetCounters().Topics, Math.Min(1, world.Broker.GetCounters().Invalid)));
    }

    [Fact]
    public async Task A_source_that_floods_the_broker_gets_half_of_the_topics_and_others_have_capacity()
    {
        await using PubSubWorld world = new(options => options.Limits.MaxTopics = 64);
        await world.StartAsync();
        int refused = 0;
        CoapPubSubClient[] ports = [.. Enumerable.Range(1, 4).Select(host => Of(world.MakeClient(2, host)))];
        for (int i = 0; i < 60; i++)
        {
            refused += await TryCreateAsync(world, ports[i % 4], $"flood {i}") ? 0 : 1;
        }

        Assert.Equal((33, 27L), (world.Broker.GetCounters().Topics, world.Broker.GetCounters().NoCapacity));
        Assert.Equal(27, refused);
        for (int source = 3; source < 8; source++)
        {
            Assert.True(await TryCreateAsync(world, Of(world.MakeClient(source)), $"honest {source}"));
        }
    }

    [Fact]
    public async Task A_new_source_can_create_topics_although_a_few_sources_exhausted_the_limit()
    {
        await using PubSubWorld world = new(options => options.Limits.MaxTopics = 32);
        await world.StartAsync();
        for (int source = 2; source < 8; source++)
        {
            CoapPubSubClient greedy = Of(world.MakeClient(source));
            for (int i = 0; i < 20; i++)
            {
                await TryCreateAsync(world, greedy, $"greedy {source} {i}");
            }
        }

        CoapPubSubCounters before = world.Broker.GetCounters();
        Assert.Equal(32, before.Topics);
        CoapPubSubClient honest = Of(world.MakeClient(100));
        Assert.True(await TryCreateAsync(world, honest, "honest 1"));
        Assert.True(await TryCreateAsync(world, honest, "honest 2"));

        CoapPubSubCounters after = world.Broker.GetCounters();
        Assert.Equal((32, before.Evicted + 2, before.Ended + 2), (after.Topics, after.Evicted, after.Ended));
        IReadOnlyList<CoapTopic> all = await world.RunAsync(() => world.Collection.FindAsync(new CoapTopicProperties
        {
            ResourceType = "core.ps.data",
        }));
        List<string> names = [];
        foreach (CoapTopic topic in all)
        {
            names.Add((await world.RunAsync(() => topic.ReadAsync())).Name!);
        }

        Assert.Equal(2, names.Count(name => name.StartsWith("honest", Ordinal)));
    }

    [Fact]
    public async Task The_topic_without_a_publication_for_the_longest_time_is_evicted_and_its_subscribers_are_notified()
    {
        await using PubSubWorld world = new(options => options.Limits.MaxTopics = 8);
        await world.StartAsync();
        CoapTopic[] topics = new CoapTopic[4];
        for (int i = 0; i < topics.Length; i++)
        {
            topics[i] = await world.CreateAsync(new CoapTopicProperties($"greedy {i}"));
            await world.RunAsync(() => topics[i].PublishAsync(CoapContent.Text("1")));
        }

        for (int source = 2; source < 6; source++)
        {
            Assert.True(await TryCreateAsync(world, Of(world.MakeClient(source)), $"other {source}"));
        }

        await world.RunAsync(() => topics[0].PublishAsync(CoapContent.Text("2")));
        CoapUri[] data = new CoapUri[4];
        for (int i = 0; i < topics.Length; i++)
        {
            data[i] = await world.RunAsync(() => topics[i].FindDataAsync());
        }

        CoapObservation stays = await world.ObserveAsync(data[0]);
        CoapObservation goes = await world.ObserveAsync(data[1]);
        Assert.True(await TryCreateAsync(world, Of(world.MakeClient(6)), "newcomer"));

        await world.UntilAsync(() => goes.Latest!.Code == CoapCode.NotFound);
        Assert.Equal("2", PubSubWorld.Text(stays));
        Assert.Equal(8, world.Broker.GetCounters().Topics);
        await world.EndAsync(stays);
        await world.EndAsync(goes);
    }

    [Fact]
    public async Task An_evicted_topic_is_removed_from_the_store()
    {
        CoapMemoryCluster memory = new();
        byte[] secret = CoapSealedClusterStore.NewSecret();
        string[] before;
        string[] after;
        await using (ClusterBroker kept = await ClusterBroker.StartAsync(memory.Open(), secret))
        {
            foreach (int host in new[] { 1, 1, 2, 3 })
            {
                Assert.True(await kept.CreateAsync(host));
            }

            before = kept.Topics;
            Assert.True(await kept.CreateAsync(4));
            Assert.False(await kept.CreateAsync(4));
            after = kept.Topics;
            Assert.Equal(1, kept.Broker.GetCounters().Evicted);
        }

        await using ClusterBroker again = await ClusterBroker.StartAsync(memory.Open(), secret);
        Assert.Equal(4, after.Length);
        Assert.Single(before.Except(after));
        Assert.Equal(after, again.Topics);
    }

    [Fact]
    public async Task A_source_that_fills_the_memory_with_data_leaves_half_of_it_to_other_sources()
    {
        await using PubSubWorld world = new(options => (options.Limits.MaxBytes, options.Limits.MaxDataLength) = (256 << 10, 16 << 10));
        await world.StartAsync();
        byte[] huge = new byte[16 << 10];
        int taken = 0;
        for (int i = 0; i < 20; i++)
        {
            try
            {
                CoapTopic topic = await world.CreateAsync(new CoapTopicProperties($"{i}"));
                await world.RunAsync(() => topic.PublishAsync(new CoapContent(huge)));
                taken++;
            }
            catch (CoapResponseException exception)
            {
                Assert.Equal(CoapCode.ServiceUnavailable, exception.Response.Code);
            }
        }

        Assert.Equal(8, taken);
        CoapTopic other = await world.CreateAsync(new CoapTopicProperties("other"), Of(world.MakeClient(2)));
        Assert.True(await world.RunAsync(() => other.PublishAsync(new CoapContent(huge))));
        Assert.InRange(world.Broker.GetCounters().Bytes, 8 * huge.Length, 256 << 10);
    }

    [Fact]
    public async Task A_publisher_reuses_the_Echo_of_its_publication_and_creates_a_topic_in_one_round_trip()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("x"));
        long challenges = world.Server.Counters[CoapCounter.EchoChallenges];
        CoapClient publisher = world.MakeClient(2);
        await world.RunAsync(() => Of(publisher).At(topic.Uri).PublishAsync(CoapContent.Text("1")));
        long received = world.Server.Counters[CoapCounter.RequestsReceived];
        await world.CreateAsync(new CoapTopicProperties("y"), Of(publisher));

        Assert.Equal(1, challenges);
        Assert.Equal((challenges, received + 1),
            (world.Server.Counters[CoapCounter.EchoChallenges], world.Server.Counters[CoapCounter.RequestsReceived]));
    }

    [Fact]
    public async Task Data_that_exceed_the_size_limit_are_answered_4_13_and_change_nothing()
    {
        await using PubSubWorld world = new(options => options.Limits.MaxDataLength = 2000);
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("x"));
        await world.RunAsync(() => topic.PublishAsync(new CoapContent(new byte[2000])));
        CoapResponseException refused = await Assert.ThrowsAsync<CoapResponseException>(
            () => world.RunAsync(() => topic.PublishAsync(new CoapContent(new byte[2001]))));
        Assert.Equal(CoapCode.RequestEntityTooLarge, refused.Response.Code);
        Assert.Equal(2000, (await world.RunAsync(() => topic.GetDataAsync()))!.Payload.Length);
        CoapTopicProperties initial = new("y") { ContentFormat = CoapContentFormat.OctetStream, Initial = new byte[2001] };
        refused = await Assert.ThrowsAsync<CoapResponseException>(() => world.CreateAsync(initial));
        Assert.Equal(CoapCode.RequestEntityTooLarge, refused.Response.Code);
    }

    [Fact]
    [Rfc("pubsub-3.4-1")]
    public async Task A_publisher_that_is_too_fast_gets_4_29_with_Max_Age_and_other_publishers_continue()
    {
        await using PubSubWorld world = new(options => options.Limits.PublicationsPerSecond = 2);
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("x"));
        string data = $"/ps/data/{topic.Uri.PathSegments[^1]}";
        List<string> codes = [];
        for (int i = 0; i < 5; i++)
        {
            codes.Add((await world.AskAsync(CoapMethod.Put, data, "30", format: 0, more: request =>
                request.TooManyRequests = CoapTooManyRequestsBehavior.None)).Code);
        }

        Assert.Equal(["2.01", "2.04", "4.29", "4.29", "4.29"], codes);
        Assert.Equal("2.04", (await world.AskAsync(CoapMethod.Put, data, "31", format: 0, client: world.MakeClient(2))).Code);
        await world.PassAsync(FromSeconds(2));
        Assert.Equal("2.04", (await world.AskAsync(CoapMethod.Put, data, "32", format: 0)).Code);
        Assert.InRange(world.Broker.GetCounters().TooFast, 1, 3);
    }

    [Fact]
    public async Task An_expiration_in_the_past_is_refused_and_a_broker_may_limit_the_expiration()
    {
        await using PubSubWorld world = new(options => options.Limits.MaxLifetime = FromHours(1));
        await world.StartAsync();
        DateTimeOffset now = world.Clock.GetUtcNow();
        CoapResponseException refused = await Assert.ThrowsAsync<CoapResponseException>(
            () => world.CreateAsync(new CoapTopicProperties("x") { Expiration = now }));
        Assert.Equal(CoapCode.BadRequest, refused.Response.Code);
        refused.Response.GetText().Mentions("expiration-date");
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("x") { Expiration = now + FromDays(10_000) });
        Assert.InRange(topic.Properties!.Expiration!.Value, now + FromMinutes(59), now + FromMinutes(61));
        refused = await Assert.ThrowsAsync<CoapResponseException>(() => world.RunAsync(() => topic.ChangeAsync(
            new CoapTopicProperties { Expiration = now - FromDays(1) })));
        Assert.Equal(CoapCode.BadRequest, refused.Response.Code);
    }

    [Fact]
    public async Task An_unauthorized_operation_is_answered_4_03_and_unreadable_topics_are_not_listed()
    {
        await using PubSubWorld world = new(options => options.Authorize = (request, operation, topic) =>
            operation != CoapPubSubOperation.Publish
            && (operation != CoapPubSubOperation.ReadTopic || topic.Properties.Name != "secret"));
        await world.StartAsync();
        await world.CreateAsync(new CoapTopicProperties("secret"));
        CoapTopic open = await world.CreateAsync(new CoapTopicProperties("open"));
        Assert.Equal([open.Uri], (await world.RunAsync(() => world.Collection.ListAsync())).Select(topic => topic.Uri));
        Assert.Single(await world.RunAsync(() => world.Collection.FindAsync(new CoapTopicProperties { ResourceType = "core.ps.data" })));
        CoapResponseException refused = await Assert.ThrowsAsync<CoapResponseException>(
            () => world.RunAsync(() => open.PublishAsync(CoapContent.Text("0"))));
        Assert.Equal(CoapCode.Forbidden, refused.Response.Code);
    }

    private static CoapPubSubClient Of(CoapClient client) => new(client, $"{PubSubWorld.Uri}/ps");

    private static async Task<bool> TryCreateAsync(PubSubWorld world, CoapPubSubClient client, string name)
    {
        try
        {
            await world.CreateAsync(new CoapTopicProperties(name), client);
            return true;
        }
        catch (CoapResponseException exception) when (exception.Response.Code == CoapCode.ServiceUnavailable)
        {
            return false;
        }
    }

    /// <summary>A broker of four topics whose table is that of a cluster, and clients at addresses of loopback.</summary>
    private sealed class ClusterBroker : IAsyncDisposable
    {
        private readonly CoapCluster _cluster;
        private readonly CoapServer _server = new();
        private int _created;

        private ClusterBroker(ICoapClusterStore store, byte[] secret)
        {
            _cluster = new CoapCluster(store, new CoapClusterOptions { Secrets = [secret], Lease = FromHours(1) });
            Broker = _server.MapPubSub("/ps", new CoapPubSubOptions
            {
                Limits = { MaxTopics = 4 },
                OpenTable = rules => _cluster.OpenTable(
                    CoapReplicatedTableKind.Topics, rules, new CoapReplicatedTableOptions { Timeout = FromMinutes(1) }),
            });
        }

        public CoapPubSubBroker Broker { get; }

        public string[] Topics => [.. Broker.Parts.Index.All.Select(topic => topic.Id).Order(StringComparer.Ordinal)];

        public static async Task<ClusterBroker> StartAsync(ICoapClusterStore store, byte[] secret)
        {
            ClusterBroker kept = new(store, secret);
            await kept._cluster.StartAsync();
            await kept.Broker.StartAsync();
            await kept._server.Listen("coap://127.0.0.1:0").StartAsync();
            return kept;
        }

        public async Task<bool> CreateAsync(int host)
        {
            await using CoapClient client = new(new CoapEndpoint());
            client.Endpoint.AddTransport(new CoapUdpTransport(
                new CoapUdpTransportOptions { Endpoints = { new IPEndPoint(new IPAddress([127, 0, 0, (byte)host]), 0) } }));
            try
            {
                await new CoapPubSubClient(client, $"{_server.LocalEndpoints[0]}ps").CreateAsync(
                    new CoapTopicProperties($"topic {++_created}"));
                return true;
            }
            catch (CoapResponseException exception) when (exception.Response.Code == CoapCode.ServiceUnavailable)
            {
                return false;
            }
        }

        public async ValueTask DisposeAsync()
        {
            await _server.DisposeAsync();
            await Broker.DisposeAsync();
            await _cluster.LeaveAsync();
            await _cluster.DisposeAsync();
        }
    }
}
