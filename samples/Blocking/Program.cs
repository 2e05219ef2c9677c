// A transport of our own for coap+tcp, by public members of the library only: a thread for each connection, as servers of old had it.
using System.Net;
using Blocking;
using CoAP.NET;

const int Connections = 3;

await using CoapServer server = new();
server.Endpoint.AddTransport(new BlockingTransport(new IPEndPoint(IPAddress.Loopback, 0)));
server.MapGet("/thread", () => CoapResults.Text($"{Environment.CurrentManagedThreadId}"));
await server.StartAsync();

HashSet<string> threads = [];
List<CoapClient> clients = [];
for (int i = 1; i <= Connections; i++)
{
    CoapClient client = new();
    clients.Add(client);
    client.Endpoint.AddTransport(new BlockingTransport());
    string thread = (await client.GetAsync(server.LocalEndpoints[0].Resolve("/thread"))).GetText();
    Console.WriteLine($"connection {i} is served by thread {thread}");
    threads.Add(thread);
}

foreach (CoapClient client in clients)
{
    await client.DisposeAsync();
}

if (threads.Count != Connections)
{
    Console.WriteLine("two connections have the same thread");
    return 1;
}

Console.WriteLine("each connection has a thread of its own");
return 0;
