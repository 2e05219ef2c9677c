namespace CoAP.NET.PubSub.Tests;

/// <summary>The snippets of docs/pubsub.md, so that they compile and do what the page says.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class PubSubDocumentationTests
{
    [Fact]
    public void Every_snippet_of_the_page_is_in_these_tests() => Snippets.AllStandInTests("pubsub.md", "", 5, "CoAP.NET.PubSub.Tests");

    [Fact]
    public async Task A_broker_is_discovered_and_a_topic_created_published_to_subscribed_to_and_deleted()
    {
        CancellationToken cancellationToken = CancellationToken.None;
        await using PubSubWorld world = new();
        CoapServer server = world.MakeServer("[::1]:5683");
        CoapClient client = world.Client;
        await using CoapPubSubBroker made = Map();
        await server.StartAsync();
        await world.Clock.AdvanceUntilAsync(RunAsync(), TimeSpan.FromMinutes(1));
        await world.EndAsync(server);
        Assert.Equal((0, 1L, 1L, 1L), (made.GetCounters().Topics, made.GetCounters().Created, made.GetCounters().Changed,
            made.GetCounters().Publications));

        CoapPubSubBroker Map()
        {
            CoapPubSubBroker broker = server.MapPubSub("/ps", new CoapPubSubOptions
            {
                Limits = { MaxTopics = 1000 },
                Authorize = (request, operation, topic) =>
                    operation != CoapPubSubOperation.DeleteTopic || topic.Owner is null || topic.IsOwner,
            });
            return broker;
        }

        async Task RunAsync()
        {
            CoapPubSubClient collection = (await CoapPubSubClient.DiscoverAsync(client, "coap://[::1]", cancellationToken)).Single();
            CoapTopic topic = await collection.CreateAsync(
                new CoapTopicProperties("living-room-sensor") { ContentFormat = CoapContentFormat.TextPlain, TopicType = "temperature" },
                cancellationToken);
            await topic.PublishAsync(CoapContent.Text("20.5"), cancellationToken);

            foreach (CoapTopic found in
                await collection.FindAsync(new CoapTopicProperties { TopicType = "temperature" }, cancellationToken))
            {
                await foreach (CoapResponse state in found.SubscribeAsync(cancellationToken))
                {
                    Console.WriteLine(state.GetText());
                    break;
                }
            }

            await topic.ChangeAsync(
                new CoapTopicProperties { MaxSubscribers = 10, ObserverCheck = TimeSpan.FromHours(1) }, cancellationToken);
            CoapTopicProperties properties = await topic.ReadAsync(cancellationToken);
            await topic.DeleteAsync(cancellationToken);
            Assert.Equal(10u, properties.MaxSubscribers);
        }
    }
}
