// CoAP over WebSockets and over TCP in a web application: a server on Kestrel, a client, and a page that writes CoAP messages by hand (RFC
// 8323 sections 3 and 4). Open the address that it prints in a browser. With --once it takes free ports, asks itself both ways, and ends.
using System.Globalization;
using System.Net;
using CoAP.NET;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

bool once = args.Contains("--once");

await using CoapServer coap = new();
double celsius = 21.5;
CoapRouteHandlerBuilder temperature = coap.MapGet("/temperature",
    () => CoapResults.Text(string.Create(CultureInfo.InvariantCulture, $"{Volatile.Read(ref celsius):0.0} C"))).Observable();
coap.MapPut("/temperature", request =>
{
    if (!double.TryParse(request.GetText(), NumberStyles.Float, CultureInfo.InvariantCulture, out double value))
    {
        return CoapResults.BadRequest("A number, please.");
    }

    Volatile.Write(ref celsius, value);
    temperature.Notify();
    return CoapResults.Changed();
});

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.WebHost.ConfigureKestrel(kestrel =>
{
    kestrel.Listen(IPAddress.Loopback, once ? 0 : 8080);
    kestrel.Listen(IPAddress.Loopback, once ? 0 : 5683, listen => listen.UseCoap(coap));
});
await using WebApplication web = builder.Build();
web.MapCoapWebSocket(coap);
web.MapGet("/", static () => Results.Stream(typeof(Program).Assembly.GetManifestResourceStream("Page.html")!, "text/html; charset=utf-8"));
await web.StartAsync();

int[] ports = [.. web.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses
    .Select(static address => new Uri(address).Port)];
Console.WriteLine($"the page: http://127.0.0.1:{ports[0]}/");

await using CoapClient client = new();
foreach (string host in (string[])[$"coap+ws://127.0.0.1:{ports[0]}", $"coap+tcp://127.0.0.1:{ports[1]}"])
{
    CoapResponse response = await client.GetAsync($"{host}/temperature");
    Console.WriteLine($"GET {host}/temperature -> {response.Code}: {response.GetText()}");
}

if (!once)
{
    await web.WaitForShutdownAsync();
    return;
}

string uri = $"coap+ws://127.0.0.1:{ports[0]}/temperature";
await using (CoapObservation observation = await client.ObserveAsync(uri))
{
    await client.PutAsync(uri, CoapContent.Text("22.5"));
    await foreach (CoapResponse notification in observation.ReadAllAsync())
    {
        Console.WriteLine($"notified: {notification.GetText()}");
        if (notification.GetText() == "22.5 C")
        {
            break;
        }
    }
}

await web.StopAsync();
Console.WriteLine("the page and the client have their temperature");
