using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.PubSub.Tests;

/// <summary>A broker for a month, in virtual time: of one process, and of a cluster, which is there for a moment of each day.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class MonthTests : IAsyncDisposable
{
    private const int Topics = 12;
    private const int Days = 30;
    private static readonly TimeSpan s_long = FromMinutes(10);

    private readonly VirtualClock _clock = new();
    private readonly InMemoryNetwork _network;
    private readonly CoapMemoryCluster _memory;
    private readonly CoapClient _client;
    private CoapCluster? _cluster;
    private CoapServer? _server;
    private CoapPubSubBroker? _broker;
    private ulong _seed;

    public MonthTests()
    {
        _network = new InMemoryNetwork(_clock);
        _memory = new CoapMemoryCluster(_clock);
        _client = new CoapClient(Options());
        _client.Endpoint.AddTransport(_network.CreateTransport(InMemoryNetwork.Address("[2001:db8:100::1]:50000")));
    }

    [Theory]
    [Rfc("pubsub-2.2.1-7")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Topics_last_for_thirty_days_until_their_expiration_or_as_long_as_they_are_extended(bool isStartedEachDay)
    {
        await StartAsync(isStartedEachDay);
        CoapPubSubClient collection = new(_client, $"{PubSubWorld.Uri}/ps");
        DateTimeOffset begin = _clock.GetUtcNow();

        // Of four topics one has no end, one ends some day, one is prolonged day by day for some time, and one for ever.
        CoapTopic[] topics = new CoapTopic[Topics];
        DateTimeOffset[] ends = new DateTimeOffset[Topics];
        for (int i = 0; i < Topics; i++)
        {
            ends[i] = i % 4 == 0 ? DateTimeOffset.MaxValue : begin + FromHours(i % 4 == 1 ? 60 * i : 36);
            topics[i] = await RunAsync(collection.CreateAsync(new CoapTopicProperties($"topic {i}")
            {
                Expiration = i % 4 == 0 ? null : ends[i],
                TopicType = "kept",
            }));
        }

        for (int day = 1; day <= Days; day++)
        {
            await PassAsync(FromHours(24), isStartedEachDay);
            DateTimeOffset now = _clock.GetUtcNow();
            int[] there = [.. Enumerable.Range(0, Topics).Where(i => ends[i] > now)];
            Assert.Equal(there.Length, _broker!.GetCounters().Topics);
            Assert.Equal(there.Select(i => topics[i].Uri.ToString()).Order(StringComparer.Ordinal),
                (await RunAsync(collection.FindAsync(new CoapTopicProperties { TopicType = "kept" })))
                    .Select(topic => topic.Uri.ToString()).Order(StringComparer.Ordinal));
            foreach (int i in there)
            {
                Assert.Equal(day == 1, await RunAsync(topics[i].PublishAsync(CoapContent.Text($"{day}"))));
                if (i % 4 == 3 || (i % 4 == 2 && day <= 2 * i))
                {
                    ends[i] = now + FromHours(36);
                    await RunAsync(topics[i].ChangeAsync(new CoapTopicProperties { Expiration = ends[i] }));
                }
            }

            foreach (int i in there)
            {
                Assert.Equal($"{day}", (await RunAsync(topics[i].GetDataAsync()))!.GetText());
            }
        }

        // Those without an end and those that are still prolonged, until nobody prolongs them any more.
        Assert.Equal(6, _broker!.GetCounters().Topics);
        await PassAsync(FromHours(40), isStartedEachDay);
        Assert.Equal(3, _broker.GetCounters().Topics);
    }

    public async ValueTask DisposeAsync()
    {
        await _clock.AdvanceUntilAsync(_client.DisposeAsync().AsTask(), s_long);
        await StopAsync();
    }

    private async Task StartAsync(bool isInCluster)
    {
        Func<ICoapReplicatedTableRules, CoapReplicatedTable>? open = null;
        if (isInCluster)
        {
            CoapCluster cluster = _cluster = new CoapCluster(_memory.Open(), new CoapClusterOptions
            {
                Secrets = [Enumerable.Range(1, 32).Select(i => (byte)i).ToArray()], Lease = FromHours(1),
            }, _clock);
            open = rules => cluster.OpenTable(CoapReplicatedTableKind.Topics, rules);
            await _clock.AdvanceUntilAsync(cluster.StartAsync(), s_long);
        }

        _server = new CoapServer(Options());
        _server.Endpoint.AddTransport(_network.CreateTransport(InMemoryNetwork.Address("[2001:db8::1]:5683")));
        _broker = _server.MapPubSub("/ps", new CoapPubSubOptions
        {
            OpenTable = open,
            TimeProvider = _clock,
            Scheduler = new VirtualScheduler(_clock),
            Random = new VirtualRandom(++_seed),
            DataMaxAge = FromHours(6),
        });
        await _clock.AdvanceUntilAsync(_broker.StartAsync(), s_long);
        await _clock.AdvanceUntilAsync(_server.StartAsync(), s_long);
    }

    private async Task StopAsync()
    {
        await _clock.AdvanceUntilAsync(_server!.DisposeAsync().AsTask(), s_long);
        await _clock.AdvanceUntilAsync(_broker!.DisposeAsync().AsTask(), s_long);
        if (_cluster is { } cluster)
        {
            await _clock.AdvanceUntilAsync(cluster.DisposeAsync().AsTask(), s_long);
        }
    }

    private Task<T> RunAsync<T>(Task<T> exchange) => _clock.AdvanceUntilAsync(exchange, s_long);

    private async Task PassAsync(TimeSpan time, bool isAway)
    {
        if (isAway)
        {
            await StopAsync();
        }

        _clock.Advance(time);
        if (isAway)
        {
            await StartAsync(isInCluster: true);
        }
    }

    private CoapEndpointOptions Options() => new()
    {
        TimeProvider = _clock, Pipeline = { Random = new VirtualRandom(++_seed), Scheduler = new VirtualScheduler(_clock) },
    };
}
