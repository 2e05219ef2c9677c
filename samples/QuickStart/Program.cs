// A server and a client in one process, over a real UDP socket. Prints what happens.
using CoAP.NET;

await using CoapServer server = new();
server.Listen("coap://127.0.0.1:0");
server.MapGet("/temperature", () => CoapResults.Text("21.5 C"));
server.MapGet("/hello/{name}", request => CoapResults.Text($"hello {request.Route["name"]}!"));
server.MapPost("/echo", async (request, cancellationToken) =>
{
    await Task.Yield(); // a handler may await whatever it likes: the answer then becomes a separate response by itself
    return CoapResults.Content(new CoapContent(request.Payload, request.ContentFormat));
});
await server.StartAsync();
CoapUri host = server.LocalEndpoints[0];
Console.WriteLine($"serving on {host}");

await using CoapClient client = new();
foreach (CoapLink link in await client.DiscoverAsync(host))
{
    Console.WriteLine($"  found {link.Target}");
}

CoapResponse response = await client.GetAsync(host.Resolve("/temperature"));
Console.WriteLine($"GET /temperature -> {response.Code}: {response.GetText()}");

response = await client.GetAsync(host.Resolve("/hello/w%C3%B6rld"));
Console.WriteLine($"GET /hello/wörld -> {response.Code}: {response.GetText()}");

response = await client.PostAsync(host.Resolve("/echo"), CoapContent.Text("there and back"));
Console.WriteLine($"POST /echo -> {response.Code}: {response.GetText()}");

response = await client.GetAsync(host.Resolve("/nowhere"));
Console.WriteLine($"GET /nowhere -> {response.Code}");

TimeSpan roundTrip = await client.PingAsync(host);
Console.WriteLine($"ping answered in {roundTrip.TotalMilliseconds:0.00} ms");
Console.WriteLine($"server counted: {server.Counters}");
