// A server with the resources of the ETSI CoAP plugtests, on UDP, DTLS, TCP and TLS. Server [--bind URI]... (default coap://localhost:5683)
using System.Runtime.InteropServices;
using System.Security.Cryptography;
using CoAP.NET;
using Server;

if (args is ["--help" or "-h"])
{
    Console.WriteLine(ServerArguments.Usage);
    return 0;
}

ServerArguments arguments;
try
{
    arguments = ServerArguments.Parse(args);
}
catch (Exception exception) when (exception is ArgumentException or CryptographicException or IOException or CoapCredentialException)
{
    Console.Error.WriteLine(exception.Message);
    return 2;
}

await using CoapServer server = new(arguments.Options);
PlugtestResources.MapTo(server);

// They are for everybody, also where the server listens on a secured scheme beside.
server.Routes.AllowInsecureTransport();
using CancellationTokenSource stop = new();
using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, Stop);
using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Stop);
try
{
    foreach (string address in arguments.Addresses)
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

foreach (CoapUri uri in server.LocalEndpoints)
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
