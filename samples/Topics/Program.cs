// A broker, a sensor that publishes, and two clients that subscribe: one finds the topic by what it is about, the other by its name. In
// the end the topic expires, and both are told.
using CoAP.NET;
using CoAP.NET.PubSub;

using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
await using CoapServer server = new();
await using CoapPubSubBroker broker = server.MapPubSub("/ps", new CoapPubSubOptions { Limits = { MaxTopics = 100 } });
await server.Listen("coap://127.0.0.1:0").StartAsync(guard.Token);
CoapUri host = server.LocalEndpoints[0];

// The sensor makes its topic, with a first value.
await using CoapClient sensor = new();
CoapPubSubClient collection = (await CoapPubSubClient.DiscoverAsync(sensor, host, guard.Token)).Single();
CoapTopic topic = await collection.CreateAsync(
    new CoapTopicProperties("living-room-sensor")
    {
        ContentFormat = CoapContentFormat.TextPlain,
        TopicType = "temperature",
        MaxSubscribers = 10,
        ObserverCheck = TimeSpan.FromHours(1),
        Initial = "20.0"u8.ToArray(),
    },
    guard.Token);
Say($"the sensor made {topic.Uri}; its data are at {await topic.FindDataAsync(guard.Token)}");

await using CoapClient kitchen = new();
await using CoapClient office = new();
Task<int> byType = SubscribeAsync("kitchen", kitchen, new CoapTopicProperties { TopicType = "temperature" });
Task<int> byName = SubscribeAsync("office", office, new CoapTopicProperties("living-room-sensor"));
while (broker.SubscriberCount < 2)
{
    await Task.Delay(TimeSpan.FromMilliseconds(20), TimeProvider.System, guard.Token);
}

// A topic is a state, not a queue: who is slow gets the newest.
for (int tenths = 201; tenths <= 205; tenths++)
{
    await topic.PublishAsync(CoapContent.Text($"{tenths / 10}.{tenths % 10}"), guard.Token);
    await Task.Delay(TimeSpan.FromMilliseconds(100), TimeProvider.System, guard.Token);
}

// A subscription is for as long as one likes; these two end with the last value.
int[] heard = await Task.WhenAll(byType, byName);
Say($"heard {heard[0]} and {heard[1]} states");
await topic.ChangeAsync(new CoapTopicProperties { Expiration = TimeProvider.System.GetUtcNow() + TimeSpan.FromSeconds(3) }, guard.Token);
while (broker.TopicCount > 0)
{
    await Task.Delay(TimeSpan.FromMilliseconds(50), TimeProvider.System, guard.Token);
}

Console.WriteLine("the topic has expired");

async Task<int> SubscribeAsync(string who, CoapClient client, CoapTopicProperties filter)
{
    CoapPubSubClient topics = new(client, collection.Collection);
    CoapTopic found = (await topics.FindAsync(filter, guard.Token)).Single();
    int states = 0;
    await foreach (CoapResponse state in found.SubscribeAsync(guard.Token))
    {
        states++;
        Say($"{who} hears {state.GetText()}");
        if (state.GetText() == "20.5")
        {
            break;
        }
    }

    return states;
}

static void Say(string text) => Console.WriteLine(text);
