// A worker service: a server with two resources, and a typed client that asks a server (here: its own). Ctrl+C or SIGTERM stops it; a
// request that runs is answered first.
using System.Globalization;
using CoAP.NET;
using CoAP.NET.Hosting;
using Hosting;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
builder.Services.AddSingleton(TimeProvider.System).AddSingleton<Thermometer>();

// The server. Where it listens, and all else that can be configured, stands in appsettings.json.
ICoapServerBuilder server = builder.Services.AddCoapServer();
server.MapGet("/temperature", (Thermometer room) => string.Create(CultureInfo.InvariantCulture, $"{room.Read():0.0}")).Observable();
server.MapPut("/target", ([CoapFromBody] double degrees, Thermometer room, CancellationToken ct) => room.HeatToAsync(degrees, ct));

// The client, whose base address stands in appsettings.json too, and who uses it.
builder.Services.AddCoapClient<RoomClient>();
builder.Services.AddHostedService<RoomWorker>();
builder.Services.AddHealthChecks().AddCoapServer();

await builder.Build().RunAsync();
