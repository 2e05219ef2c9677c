// Puts a block of our own between all stages of a server and watches one request go up and its answer come down.
using System.Threading.Tasks.Dataflow;
using CoAP.NET;

CoapEndpointOptions options = new();
options.Pipeline
    .Insert(CoapStageLinks.TransportToChannel, () =>
        Watch(CoapStageLinks.TransportToChannel, item => $"{item.Length} B from {item.Remote}"))
    .Insert(CoapStageLinks.ChannelToSerializer, () => Watch(CoapStageLinks.ChannelToSerializer, item => $"channel {item.Channel}"))
    .Insert(CoapStageLinks.SerializerToMessaging, () => Watch(CoapStageLinks.SerializerToMessaging, item => $"{item.Message}"))
    .Insert(CoapStageLinks.MessagingToExchanges,
        () => Watch(CoapStageLinks.MessagingToExchanges, item => $"{item.Kind} MID {item.MessageId}, no duplicate"))
    .Insert(CoapStageLinks.ExchangesToResource, () => Watch(CoapStageLinks.ExchangesToResource, item => $"{item.Request}"))
    .Insert(CoapStageLinks.ResourceToExchanges, () => Watch(CoapStageLinks.ResourceToExchanges, item => $"answer {item.Result.Code}"))
    .Insert(CoapStageLinks.ExchangesToMessaging, () => Watch(CoapStageLinks.ExchangesToMessaging, item => $"token {item.Message?.Token}"))
    .Insert(CoapStageLinks.MessagingToSerializer,
        () => Watch(CoapStageLinks.MessagingToSerializer, item => $"{item.Message?.Type} MID {item.Message?.MessageId}"))
    .Insert(CoapStageLinks.SerializerToChannel, () =>
        Watch(CoapStageLinks.SerializerToChannel, item => $"{Convert.ToHexStringLower(item.Span)}"))
    .Insert(CoapStageLinks.ChannelToTransport, () => Watch(CoapStageLinks.ChannelToTransport, item => $"{item.Length} B to {item.Remote}"));

await using CoapServer server = new(options);
server.Listen("coap://127.0.0.1:0");
server.MapGet("/mesh", () => CoapResults.Text("every stage is a Dataflow block"));
await server.StartAsync();

await using CoapClient client = new();
CoapResponse response = await client.GetAsync(server.LocalEndpoints[0].Resolve("/mesh"));
Console.WriteLine($"client got {response.Code}: {response.GetText()}");

// Any block of the Dataflow library will do; this one has a queue and works on a thread of the pool.
static TransformBlock<T, T> Watch<T>(CoapStageLink<T> link, Func<T, string> describe) => new(item =>
{
    Console.WriteLine($"{link.Name,-24} {describe(item)}");
    return item;
});
