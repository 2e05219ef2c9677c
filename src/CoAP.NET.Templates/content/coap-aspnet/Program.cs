using System.Globalization;
using CoAP.NET;
using CoAP.NET.Hosting;
using CoapWeb1;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Services.AddSingleton<Thermometer>();

// CoAP over UDP where appsettings.json says, and over WebSockets below.
ICoapServerBuilder coap = builder.Services.AddCoapServer();
coap.MapGet("/temperature", (Thermometer thermometer) => thermometer.Celsius.ToString(CultureInfo.InvariantCulture))
    .WithResourceType("temperature")
    .Observable();

WebApplication web = builder.Build();

// At /.well-known/coap, where clients of coap+ws look.
web.MapCoapWebSocket();

// The same by HTTP; a change tells those who observe by CoAP.
web.MapGet("/temperature", (Thermometer thermometer) => thermometer.Celsius);
web.MapPut("/temperature", (double celsius, Thermometer thermometer, CoapServer server) =>
{
    thermometer.Celsius = celsius;
    server.Notify("/temperature");
});

await web.RunAsync();
