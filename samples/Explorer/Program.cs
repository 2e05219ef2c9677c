// A service with a CoAP server and web pages that look at it (docs/explorer.md). Open http://localhost:8080/coap/ : resources, requests,
// observations, messages byte by byte; http://localhost:8080/coap/live/ shows what the server does now. Only this machine gets in. With
// --once it takes free ports, calls the explorer as its page does, and ends.
using System.Net;
using System.Net.Http.Json;
using CoAP.NET;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

bool once = args.Contains("--once");
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.WebHost.UseUrls(once ? "http://127.0.0.1:0" : "http://localhost:8080");
builder.Services.AddCoapServer(options => options.Listen(once ? "coap://127.0.0.1:0" : "coap://localhost:5683"));

// Here everybody on this machine may look; a service on a network asks its users who they are.
builder.Services.AddAuthentication();
builder.Services.AddAuthorization(options => options.AddPolicy("this machine", policy => policy.RequireAssertion(context =>
    context.Resource is HttpContext { Connection.RemoteIpAddress: { } address } && IPAddress.IsLoopback(address))));
await using WebApplication app = builder.Build();
app.UseAuthorization();

// A boiler that warms up and cools down, for the plot of an observation.
double celsius = 20;
CoapServer server = app.Services.GetRequiredService<CoapServer>();
server.MapGet("/boiler/temperature", (CoapRequestContext _) => CoapResults.Content(CoapContent.Senml(
    new CoapSenmlPack(new CoapSenmlRecord { BaseName = "urn:dev:boiler:", Name = "temperature", Unit = "Cel", Value = celsius }))))
    .Observable().WithTitle("Temperature of the boiler").WithResourceType("temperature");
bool isOn = false;
server.MapGet("/boiler/switch", (CoapRequestContext _) => CoapResults.Text(isOn ? "on" : "off")).WithTitle("The switch: PUT on, or off");
server.MapPut("/boiler/switch", (CoapRequestContext request) =>
{
    isOn = request.GetText() == "on";
    return CoapResults.Changed();
});

app.MapCoapExplorer("/coap").RequireAuthorization("this machine");
app.MapCoapDashboard("/coap/live").RequireAuthorization("this machine");
await app.StartAsync();
Uri page = new(app.Urls.First() + "/coap/");
Console.WriteLine($"{page} looks at {server.LocalEndpoints[0]}");
if (!once)
{
    using PeriodicTimer timer = new(TimeSpan.FromSeconds(0.5), TimeProvider.System);
    CancellationToken stopping = app.Lifetime.ApplicationStopping;
    try
    {
        while (await timer.WaitForNextTickAsync(stopping))
        {
            celsius = Math.Round(celsius + (((isOn ? 80 : 20) - celsius) * 0.05), 2);
            server.Notify("/boiler/temperature");
        }
    }
    catch (OperationCanceledException)
    {
        await app.WaitForShutdownAsync();
    }

    return;
}

using HttpClient browser = new() { BaseAddress = page };
browser.DefaultRequestHeaders.Add("X-CoAP-Explorer", "1");
using HttpResponseMessage response = await browser.PostAsJsonAsync(
    new Uri("api/request", UriKind.Relative), new { method = "GET", uri = server.LocalEndpoints[0] + "boiler/temperature" });
string events = await response.Content.ReadAsStringAsync();
using HttpResponseMessage refused = await browser.PostAsJsonAsync(
    new Uri("api/request", UriKind.Relative), new { method = "GET", uri = "coap://192.0.2.1/" });
Console.WriteLine($"a server that is not this one: {(int)refused.StatusCode}");
Console.WriteLine(events.Contains("\"value\":20,", StringComparison.Ordinal) && refused.StatusCode == HttpStatusCode.Forbidden
    ? "the page shows that the boiler has 20 C"
    : events);
await app.StopAsync();
