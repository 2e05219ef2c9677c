// Puts a block of our own between all stages of a server and watches one request go up and its answer come down.
using System.Threading.Tasks.Dataflow;
using CoAP.NET;

CoapEndpointOptions options = new();
options.Pipeline
    .Insert(CoapSeams.TransportToChannel, () => Watch(CoapSeams.TransportToChannel, item => $"{item.Length} B from {item.Remote}"))
    .Insert(CoapSeams.ChannelToSerializer, () => Watch(CoapSeams.ChannelToSerializer, item => $"channel {item.Channel}"))
    .Insert(CoapSeams.SerializerToMessaging, () => Watch(CoapSeams.SerializerToMessaging, item => $"{item.Message}"))
    .Insert(CoapSeams.MessagingToExchanges,
        () => Watch(CoapSeams.MessagingToExchanges, item => $"{item.Kind} MID {item.MessageId}, no duplicate"))
    .Insert(CoapSeams.ExchangesToResource, () => Watch(CoapSeams.ExchangesToResource, item => $"{item.Request}"))
    .Insert(CoapSeams.ResourceToExchanges, () => Watch(CoapSeams.ResourceToExchanges, item => $"answer {item.Result.Code}"))
    .Insert(CoapSeams.ExchangesToMessaging, () => Watch(CoapSeams.ExchangesToMessaging, item => $"token {item.Message?.Token}"))
    .Insert(CoapSeams.MessagingToSerializer,
        () => Watch(CoapSeams.MessagingToSerializer, item => $"{item.Message?.Type} MID {item.Message?.MessageId}"))
    .Insert(CoapSeams.SerializerToChannel, () => Watch(CoapSeams.SerializerToChannel, item => $"{Convert.ToHexStringLower(item.Span)}"))
    .Insert(CoapSeams.ChannelToTransport, () => Watch(CoapSeams.ChannelToTransport, item => $"{item.Length} B to {item.Remote}"));

await using CoapServer server = new(options);
server.Listen("coap://127.0.0.1:0");
server.MapGet("/mesh", () => CoapResults.Text("every stage is a Dataflow block"));
await server.StartAsync();

await using CoapClient client = new();
CoapResponse response = await client.GetAsync($"{server.LocalEndpoints[0]}/mesh");
Console.WriteLine($"client got {response.Code}: {response.GetText()}");

// Any block of the Dataflow library will do; this one has a queue and works on a thread of the pool.
static TransformBlock<T, T> Watch<T>(CoapSeam<T> seam, Func<T, string> describe) => new(item =>
{
    Console.WriteLine($"{seam.Name,-24} {describe(item)}");
    return item;
});
