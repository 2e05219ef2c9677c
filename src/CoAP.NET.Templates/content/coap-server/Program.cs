using System.Globalization;
using CoAP.NET;
using CoAP.NET.Hosting;
using CoapServer1;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
builder.Services.AddSingleton<Thermometer>();

#if (dtls)
ICoapServerBuilder server = builder.Services.AddCoapServer().UseDtls();
#else
ICoapServerBuilder server = builder.Services.AddCoapServer();
#endif
server.MapGet("/hello/{name}", (string name) => $"Hello {name}!");

CoapRouteHandlerBuilder temperature = server
    .MapGet("/temperature", (Thermometer thermometer) => thermometer.Celsius.ToString(CultureInfo.InvariantCulture))
    .WithResourceType("temperature")
    .Observable();

CoapRouteHandlerBuilder setting = server.MapPut("/temperature", ([CoapFromBody] double celsius, Thermometer thermometer) =>
{
    thermometer.Celsius = celsius;
    temperature.Notify();
    return CoapResults.Changed();
});
#if (dtls)

// As there is coaps, routes are served over it only, unless they say otherwise: everybody may read the temperature, peers with a key may
// set it.
temperature.AllowInsecureTransport();
setting.RequireAuthorization(policy => policy.RequirePskIdentity());
#else
setting.WithTitle("What the thermometer shows");
#endif
#if (cluster)

// Sessions of coaps and observers outlive this process, be it stopped or killed; with UsePostgreSql they are shared by several servers.
builder.Services.AddCoapState().UseSqlite("coap.db");
server.KeepState();
#endif

await builder.Build().RunAsync();
