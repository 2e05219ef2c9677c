// A page that is a CoAP client: .NET in the browser (Blazor WebAssembly) observes a room of the server that served the page, and sets its
// heating, over CoAP over WebSockets. Open the address that it prints in a browser. The page is the project in the folder Client.
using System.Globalization;
using CoAP.NET;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Logging.SetMinimumLevel(LogLevel.Warning);
if (builder.Configuration[WebHostDefaults.ServerUrlsKey] is null)
{
    builder.WebHost.UseUrls("http://127.0.0.1:8080");
}

// Also where it was built and not published, whatever the environment is.
builder.WebHost.UseStaticWebAssets();

await using CoapServer coap = new();
double celsius = 18;
double target = 21;
CoapRouteHandlerBuilder temperature = coap.MapGet("/temperature", () => CoapResults.Text(Text(Volatile.Read(ref celsius)))).Observable();
coap.MapGet("/target", () => CoapResults.Text(Text(Volatile.Read(ref target))));
coap.MapPut("/target", request =>
{
    if (!double.TryParse(request.GetText(), NumberStyles.Float, CultureInfo.InvariantCulture, out double value) || value is < 5 or > 30)
    {
        return CoapResults.BadRequest("A number from 5 to 30, please.");
    }

    Volatile.Write(ref target, value);
    return CoapResults.Changed();
});

// The room becomes half a degree warmer or colder each second, until it is as warm as was set.
using Timer room = new(
    _ =>
    {
        double now = celsius + Math.Clamp(Volatile.Read(ref target) - celsius, -0.5, 0.5);
        if (Interlocked.Exchange(ref celsius, now) != now)
        {
            temperature.Notify();
        }
    },
    null, TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));

await using WebApplication web = builder.Build();
web.MapCoapWebSocket(coap);
web.MapStaticAssets();
web.MapFallbackToFile("index.html");
await web.StartAsync();
Console.WriteLine($"the page: {web.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First()}/");
await web.WaitForShutdownAsync();

static string Text(double value) => value.ToString("0.0", CultureInfo.InvariantCulture);
