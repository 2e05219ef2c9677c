using System.Globalization;
using CoAP.NET;
using CoAP.NET.Hosting;
using CoapServer1;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
builder.Services.AddSingleton<Thermometer>();

ICoapServerBuilder server = builder.Services.AddCoapServer();
server.MapGet("/hello/{name}", (string name) => $"Hello {name}!");

CoapRouteHandlerBuilder temperature = server
    .MapGet("/temperature", (Thermometer thermometer) => thermometer.Celsius.ToString(CultureInfo.InvariantCulture))
    .WithResourceType("temperature")
    .Observable();

server.MapPut("/temperature", ([CoapFromBody] double celsius, [CoapFromServices] Thermometer thermometer) =>
{
    thermometer.Celsius = celsius;
    temperature.Notify();
    return CoapResults.Changed();
});

await builder.Build().RunAsync();
