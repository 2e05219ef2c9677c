using CoAP.NET.PubSub;
using CoAP.NET.Speed.Servers;

namespace CoAP.NET.Speed.Rows;

// A topic of a broker, as its publisher and its subscribers see it.
internal sealed partial class RowList
{
    private static Row Subscribe(string name, int subscribers) =>
        new(name, $"{Text(subscribers)} subscribers of a topic, Confirmable", RowGroup.Notifications,
        [
            new(Role.Ours, "CoAP.NET", () =>
            {
                Child child = Child.StartSelf(Processors.Measured, 1, PubSubProgram.Verb);
                return Observers(child, child.Endpoints[0], subscribers, MakeTopicAsync(child).GetAwaiter().GetResult());
            }),
        ]);

    private static async Task<string> MakeTopicAsync(Child child)
    {
        await using CoapClient client = new();
        CoapPubSubClient collection = new(client, $"coap://127.0.0.1:{child.Endpoints[0].Port}/ps");
        CoapTopic topic = await collection.CreateAsync(new CoapTopicProperties("load") { ContentFormat = CoapContentFormat.TextPlain });
        return new Uri(await topic.FindDataAsync()).AbsolutePath.TrimStart('/');
    }
}
