using CoAP.NET.Diagnostics;

namespace CoAP.NET.PubSub.Tests;

/// <summary>Those who subscribe: what they are told, how many there may be, how they are checked, and how it ends.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SubscriberTests
{
    [Fact]
    [Rfc("7641-4.2-3")]
    public async Task Subscribers_get_4_06_when_the_format_of_a_topic_changes_and_continue_in_the_new_format()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("any"));
        CoapUri data = await world.RunAsync(() => topic.FindDataAsync());
        await PublishAsync(world, topic, "20.5");
        List<string> heard = [];
        CoapObservation observation = await world.RunAsync(() => world.MakeClient(2).ObserveAsync(
            data, change => heard.Add($"{change.Code.Class}.{change.Code.Detail:00} {change.ContentFormat?.Value} {change.GetText()}")));
        await PublishJsonAsync("20.6");
        await world.UntilAsync(() => heard.Count > 2);
        Assert.Equal("2.05 0 20.5", heard[0]);
        heard[1].Begins("4.06");
        Assert.Equal("2.05 50 20.6", heard[2]);

        // From then on it is told of each as before, without registering anew.
        long registrations = world.Server.Counters[CoapCounter.Registrations];
        for (int i = 7; i <= 9; i++)
        {
            await PublishJsonAsync($"20.{i}");
            await world.UntilAsync(() => heard[^1] == $"2.05 50 20.{i}", FromSeconds(1));
        }

        Assert.Equal(registrations, world.Server.Counters[CoapCounter.Registrations]);
        await world.EndAsync(observation);

        async Task PublishJsonAsync(string number) => Assert.False(await world.RunAsync(
            () => topic.PublishAsync(new CoapContent(Encoding.UTF8.GetBytes(number), CoapContentFormat.Json))));
    }

    [Fact]
    public async Task A_subscription_delivers_states_in_changing_formats()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("any"));
        await PublishAsync(world, topic, "a");
        CoapClient client = world.MakeClient(2);
        CoapTopic same = (await world.RunAsync(() => new CoapPubSubClient(client, $"{PubSubWorld.Uri}/ps").FindAsync(
            new CoapTopicProperties { Name = "any" }))).Single();
        await using IAsyncEnumerator<CoapResponse> states = same.SubscribeAsync().GetAsyncEnumerator();
        Assert.True(await world.RunAsync(() => states.MoveNextAsync().AsTask()));
        Assert.Equal(CoapContentFormat.TextPlain, states.Current.ContentFormat);
        await world.RunAsync(() => topic.PublishAsync(new CoapContent("[1]"u8.ToArray(), CoapContentFormat.Json)));
        Assert.True(await world.RunAsync(() => states.MoveNextAsync().AsTask()));
        states.Current.Says("[1]");
        Assert.Equal(CoapContentFormat.Json, states.Current.ContentFormat);
        await PublishAsync(world, topic, "b");
        Assert.True(await world.RunAsync(() => states.MoveNextAsync().AsTask()));
        states.Current.Says("b");
    }

    [Fact]
    public async Task Subscribers_get_the_newest_state_under_loss_and_never_an_older_state_afterwards()
    {
        await using PubSubWorld world = new(options => options.Limits.PublicationsPerSecond = null,
            new InMemoryNetworkOptions
            {
                Seed = 3,
                Conditions = NetworkConditions.Delayed(FromMilliseconds(80)) with { Loss = 0.15 },
            });
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("meter"));
        CoapUri data = await world.RunAsync(() => topic.FindDataAsync());
        await PublishAsync(world, topic, "0");
        List<int> heard = [];
        CoapObservation observation = await world.RunAsync(() => world.MakeClient(2).ObserveAsync(
            data, change =>
            {
                if (change.IsSuccess)
                {
                    heard.Add(int.Parse(change.GetText(), System.Globalization.CultureInfo.InvariantCulture));
                }
            }));
        for (int i = 1; i <= 40; i++)
        {
            await TryPublishAsync($"{i}");
        }

        await world.UntilAsync(() => heard.Contains(40));
        Assert.Equal(heard.Order(), heard);
        await world.EndAsync(observation);

        // One request in twenty loses all its copies; to publish the same state again does no harm.
        async Task TryPublishAsync(string text)
        {
            for (bool isDone = false; !isDone;)
            {
                try
                {
                    await PublishAsync(world, topic, text);
                    isDone = true;
                }
                catch (CoapTimeoutException)
                {
                    // Once more.
                }
            }
        }
    }

    [Fact]
    [Rfc("pubsub-2.2.1-4", "pubsub-2.5.3-2")]
    public async Task A_subscriber_above_the_limit_gets_a_single_response_and_a_removed_subscriber_gets_4_04()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("lock") { MaxSubscribers = 2 });
        CoapUri data = await world.RunAsync(() => topic.FindDataAsync());
        await PublishAsync(world, topic, "shut");
        CoapObservation[] observations = new CoapObservation[3];
        for (int i = 0; i < 3; i++)
        {
            observations[i] = await world.ObserveAsync(data, world.MakeClient(i + 2));
        }

        Assert.Equal([CoapObserveState.Observing, CoapObserveState.Observing, CoapObserveState.NotObserving],
            observations.Select(one => one.State));
        Assert.Equal("shut", PubSubWorld.Text(observations[2]));
        await world.RunAsync(() => topic.ChangeAsync(new CoapTopicProperties { MaxSubscribers = 1 }));
        await world.UntilAsync(() => observations.Count(one => one.Latest!.Code == CoapCode.NotFound) == 1);
        Assert.Equal(1, world.Broker.GetCounters().Subscribers);
        await world.RunAsync(() => topic.ChangeAsync(new CoapTopicProperties { MaxSubscribers = 0 }));
        await world.UntilAsync(() => world.Broker.GetCounters().Subscribers == 0);
        foreach (CoapObservation observation in observations)
        {
            await world.EndAsync(observation);
        }
    }

    [Fact]
    [Rfc("pubsub-2.5.3-2")]
    public async Task A_change_of_properties_is_notified_to_observers_of_the_topic_and_not_to_subscribers()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("fan"));
        CoapUri data = await world.RunAsync(() => topic.FindDataAsync());
        await PublishAsync(world, topic, "on");
        int told = 0;
        int ofTopic = 0;
        CoapObservation subscriber = await world.RunAsync(() => world.Client.ObserveAsync(data, _ => told++));
        CoapObservation observer = await world.RunAsync(() => world.Client.ObserveAsync(topic.Uri, _ => ofTopic++));
        int before = told;
        await world.RunAsync(() => topic.ChangeAsync(new CoapTopicProperties { TopicType = "air" }));
        await world.UntilAsync(() => ofTopic == 2);
        Assert.Equal(before, told);
        await world.EndAsync(subscriber);
        await world.EndAsync(observer);
    }

    [Fact]
    [Rfc("pubsub-2.2.1-5")]
    public async Task Subscribers_are_checked_with_Confirmable_notifications_as_often_as_the_topic_defines()
    {
        await using PubSubWorld world = new(options => options.DataMaxAge = FromDays(30));
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("valve") { ObserverCheck = FromMinutes(5) });
        CoapUri data = await world.RunAsync(() => topic.FindDataAsync());
        await PublishAsync(world, topic, "open");
        CoapClient silent = world.MakeClient(2);
        CoapObservation observation = await world.ObserveAsync(data, silent);
        await world.PassAsync(FromMinutes(12));
        Assert.Equal(1, world.Broker.GetCounters().Subscribers);

        // It is there no more, without a word.
        world.Network.TakeDown(InMemoryNetwork.Address("[2001:db8:200::1]:50001"));
        await world.UntilAsync(() => world.Broker.GetCounters().Subscribers == 0, FromMinutes(9));
        await world.EndAsync(observation);
    }

    [Fact]
    [Rfc("pubsub-2.2.1-7")]
    public async Task A_topic_ends_at_its_expiration_and_notifies_its_subscribers()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(
            new CoapTopicProperties("day") { Expiration = world.Clock.GetUtcNow() + FromHours(24) });
        CoapUri data = await world.RunAsync(() => topic.FindDataAsync());
        await PublishAsync(world, topic, "sun");
        CoapObservation observation = await world.ObserveAsync(data);
        await world.PassAsync(FromHours(23));
        Assert.Equal("sun", PubSubWorld.Text(observation));
        await world.UntilAsync(() => observation.Latest!.Code == CoapCode.NotFound, FromHours(2));
        Assert.Equal((0, 1L), (world.Broker.GetCounters().Topics, world.Broker.GetCounters().Expired));
        Assert.False(await world.RunAsync(() => topic.DeleteAsync()));
        await world.EndAsync(observation);
    }

    [Fact]
    public async Task A_client_subscribes_to_a_topic_without_data_and_gets_the_first_publication()
    {
        await using PubSubWorld world = new();
        await world.StartAsync();
        CoapTopic topic = await world.CreateAsync(new CoapTopicProperties("rain"));
        using CancellationTokenSource ending = new();
        List<string> heard = [];
        Task reading = ReadAsync();
        await world.PassAsync(FromSeconds(1));
        await PublishAsync(world, topic, "first");
        await world.UntilAsync(() => heard.Count == 1);
        await PublishAsync(world, topic, "second");
        await world.UntilAsync(() => heard.Count == 2);
        Assert.Equal(["first", "second"], heard);
        await ending.CancelAsync();
        await world.Clock.AdvanceUntilAsync(reading, FromMinutes(10));

        async Task ReadAsync()
        {
            try
            {
                await foreach (CoapResponse state in topic.SubscribeAsync(ending.Token))
                {
                    heard.Add(state.GetText());
                }
            }
            catch (OperationCanceledException)
            {
                // As asked for.
            }
        }
    }

    private static Task<bool> PublishAsync(PubSubWorld world, CoapTopic topic, string text) =>
        world.RunAsync(() => topic.PublishAsync(CoapContent.Text(text)));
}
