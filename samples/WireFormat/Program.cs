// Server and client speak a wire format of our own, over UDP and over TCP: what they say is sealed.
using CoAP.NET;
using CoAP.NET.Mesh;
using WireFormat;

byte[] key = Convert.FromHexString("8d3f51b2c07a46e99b1e20f4d5a6c733");
await using CoapServer server = new(WithKey(key));
server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0");
server.MapGet("/secret", () => CoapResults.Text("the sea is deep"));
await server.StartAsync();

await using CoapClient client = new(WithKey(key));
foreach (string uri in server.LocalEndpoints)
{
    CoapResponse response = await client.GetAsync($"{uri}/secret");
    Console.WriteLine($"{uri} says {response.GetText()}");
}

// Whoever has another key is not even answered, as on datagrams nobody answers noise.
await using CoapClient stranger = new(WithKey(new byte[16]));
using CancellationTokenSource soon = new(TimeSpan.FromSeconds(1));
try
{
    await stranger.GetAsync($"{server.LocalEndpoints[0]}/secret", cancellationToken: soon.Token);
}
catch (OperationCanceledException)
{
    Console.WriteLine("the stranger heard nothing");
}

static CoapEndpointOptions WithKey(byte[] key)
{
    CoapEndpointOptions options = new();
    options.Pipeline.Replace(CoapStages.Serializer, shard => SealedFormat.Make(shard, key));
    return options;
}
