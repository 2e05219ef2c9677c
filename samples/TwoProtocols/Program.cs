// A web application whose endpoints answer devices by CoAP as well (docs/aspnetcore.md). It listens on http://localhost:8080 and on
// coap://localhost:5683: `curl -X PUT localhost:8080/lights/1?on=true`, `coap observe coap://localhost/lights/1`. With --once it takes free
// ports, changes a light by HTTP while it observes it by CoAP, and ends.
using CoAP.NET;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using TwoProtocolsSample;

bool once = args.Contains("--once");
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.WebHost.UseUrls(once ? "http://127.0.0.1:0" : "http://localhost:8080");
builder.Services.AddSingleton<Lights>();
builder.Services.AddCoapServer(options => options.Listen(once ? "coap://127.0.0.1:0" : "coap://localhost:5683"));
await using WebApplication app = builder.Build();

app.MapGet("/lights/{id:int}", (int id, Lights lights) => lights.IsOn(id) ? "on" : "off")
    .WithCoap(route => route.Observable().WithDiscoveryTarget("/lights/1").WithResourceType("light"));
app.MapPut("/lights/{id:int}", (int id, bool on, Lights lights, CoapServer server) =>
{
    lights.Switch(id, on);
    server.Notify($"/lights/{id}");
}).WithCoap();
app.MapCoap();
await app.StartAsync();

Uri web = new(app.Urls.First());
CoapUri coap = app.Services.GetRequiredService<CoapServer>().LocalEndpoints[0];
Console.WriteLine($"{web}lights/1 and {coap}lights/1");
if (!once)
{
    await app.WaitForShutdownAsync();
    return;
}

await using CoapClient device = new();
await using CoapObservation observation = await device.ObserveAsync(coap.Resolve("/lights/1"));
await using IAsyncEnumerator<CoapResponse> states = observation.ReadAllAsync().GetAsyncEnumerator();
await states.MoveNextAsync();
Console.WriteLine($"CoAP: {states.Current.GetText()}");

using HttpClient browser = new();
using HttpResponseMessage switched = await browser.PutAsync(new Uri(web, "/lights/1?on=true"), null);
Console.WriteLine($"HTTP: PUT /lights/1?on=true -> {(int)switched.StatusCode}");

await states.MoveNextAsync();
string byHttp = await browser.GetStringAsync(new Uri(web, "/lights/1"));
Console.WriteLine(states.Current.GetText() == byHttp ? $"both protocols say that the light is {byHttp}" : "the protocols disagree");
await app.StopAsync();
