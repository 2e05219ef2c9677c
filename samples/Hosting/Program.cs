// A worker service: a server with two resources, and a typed client that asks a server (here: its own). Ctrl+C or SIGTERM stops it; a request that runs is answered first.
using System.Globalization;
using CoAP.NET;
using CoAP.NET.Hosting;
using Hosting;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
builder.Services.AddSingleton(TimeProvider.System).AddSingleton<Thermometer>();

// The server. Where it listens, and all else that can be configured, stands in appsettings.json.
ICoapServerBuilder server = builder.Services.AddCoapServer();
server.MapGet("/temperature", request => string.Create(CultureInfo.InvariantCulture, $"{request.Services!.GetRequiredService<Thermometer>().Read():0.0}")).Observable();
server.MapPut("/target", async (request, cancellationToken) =>
{
    if (!double.TryParse(request.GetText(), CultureInfo.InvariantCulture, out double degrees))
    {
        return CoapResults.BadRequest("Send the degrees as a number.");
    }

    await request.Services!.GetRequiredService<Thermometer>().HeatToAsync(degrees, cancellationToken);
    return CoapResults.Changed();
});

// The client, whose base address stands in appsettings.json too, and who uses it.
builder.Services.AddCoapClient<RoomClient>();
builder.Services.AddHostedService<RoomWorker>();
builder.Services.AddHealthChecks().AddCoapServer();

await builder.Build().RunAsync();
