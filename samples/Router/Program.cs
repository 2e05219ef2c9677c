// A router of our own in place of routes: a table of values under whatever path they were put, four requests at a time.
using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;
using CoAP.NET;
using CoAP.NET.Mesh;

ConcurrentDictionary<string, string> values = new();
CoapEndpointOptions options = new();
options.Pipeline.Replace(CoapStages.Resource, _ => new TransformBlock<CoapExchange, CoapReply>(
    exchange => new CoapReply(exchange, Answer(exchange.Request)),
    new ExecutionDataflowBlockOptions { MaxDegreeOfParallelism = 4, EnsureOrdered = false, BoundedCapacity = 1_000 }));

await using CoapServer server = new(options);
server.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0");
await server.StartAsync();

await using CoapClient client = new();
foreach (string uri in server.LocalEndpoints)
{
    await client.PutAsync($"{uri}/rooms/kitchen", CoapContent.Text("21.5 C"));
    Console.WriteLine($"{uri} has {(await client.GetAsync($"{uri}/rooms/kitchen")).GetText()}");
    CoapResponse nothing = await client.GetAsync($"{uri}/rooms/attic");
    Console.WriteLine($"and of the attic it says {nothing.Code}");
}

Console.WriteLine("all requests were routed");

// Nothing that it throws may leave the block: that would fault the server.
CoapResult Answer(CoapRequest request)
{
    switch (request.Method)
    {
        case CoapMethod.Put:
            values[request.Path] = request.GetText();
            return CoapResults.Changed();
        case CoapMethod.Get:
            return values.TryGetValue(request.Path, out string? value) ? CoapResults.Text(value) : CoapResults.NotFound();
        default:
            return CoapResults.MethodNotAllowed();
    }
}
