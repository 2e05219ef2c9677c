// A server with the resources of the ETSI CoAP plugtests. Server [--bind URI]... (default coap://localhost:5683)
using System.Runtime.InteropServices;
using CoAP.NET;
using Server;

const string Usage = "usage: Server [--bind URI]... (default coap://localhost:5683; port 0 takes any free one)";
if (args is ["--help" or "-h"])
{
    Console.WriteLine(Usage);
    return 0;
}

List<string> addresses = [];
for (int i = 0; i < args.Length; i++)
{
    if (args[i] != "--bind" || i + 1 == args.Length)
    {
        Console.Error.WriteLine(Usage);
        return 2;
    }

    addresses.Add(args[++i]);
}

if (addresses.Count == 0)
{
    addresses.Add("coap://localhost:5683");
}

await using CoapServer server = new();
PlugtestResources.MapTo(server);
using CancellationTokenSource stop = new();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
try
{
    foreach (string address in addresses)
    {
        server.Listen(address);
    }

    await server.StartAsync(stop.Token);
}
catch (Exception exception) when (exception is CoapException or ArgumentException)
{
    Console.Error.WriteLine(exception.Message);
    return 3;
}

foreach (string uri in server.LocalEndpoints)
{
    Console.WriteLine($"listening on {uri}");
}

await server.RunAsync(stop.Token);
return 0;

void Stop(PosixSignalContext context)
{
    context.Cancel = true;
    stop.Cancel();
}
