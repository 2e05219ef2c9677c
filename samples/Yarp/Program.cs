// The reverse proxy YARP in front of a CoAP device: browsers and services speak HTTP to it, and it forwards over CoAP. Routes, transforms,
// authorization and rate
// limits stay YARP's. With --once it takes free ports, asks itself, and ends.
using System.Net;
using CoAP.NET;
using CoAP.NET.Http;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Yarp.ReverseProxy.Configuration;
using Yarp.ReverseProxy.Forwarder;
using YarpSample;

bool once = args.Contains("--once");

await using CoapServer device = new();
device.Listen("coap://127.0.0.1:0");
string relay = "off";
device.MapGet("/relay", () => relay);
device.MapPut("/relay", request =>
{
    relay = request.GetText();
    return CoapResults.Changed();
});
device.MapGet("/log", static () => new string('.', 100_000) + " end");
await device.StartAsync();

WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, once ? 0 : 8080));
builder.Services.AddSingleton<CoapClient>();
builder.Services.AddSingleton<IForwarderHttpClientFactory, CoapForwarderFactory>();
builder.Services.AddDataProtection().UseEphemeralDataProtectionProvider();
builder.Services.AddReverseProxy().LoadFromMemory(
    [
        new RouteConfig
        {
            RouteId = "device",
            ClusterId = "device",
            Match = new RouteMatch { Path = "/devices/1/{**rest}" },
            Transforms = [new Dictionary<string, string> { ["PathPattern"] = "/{**rest}" }],
        },
    ],
    [
        new ClusterConfig
        {
            ClusterId = "device",
            Destinations = new Dictionary<string, DestinationConfig>
            {
                ["device"] = new() { Address = device.LocalEndpoints[0].ToString() },
            },
        },
    ]);
await using WebApplication web = builder.Build();
web.MapReverseProxy();
await web.StartAsync();

Uri address = new(web.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First());
Console.WriteLine($"the device: {address}devices/1/relay");
if (!once)
{
    await web.WaitForShutdownAsync();
    return;
}

using HttpClient browser = new() { BaseAddress = address };
using HttpResponseMessage put = await browser.PutAsync("/devices/1/relay", new StringContent("on"));
Console.WriteLine($"PUT: {(int)put.StatusCode}");
string log = await browser.GetStringAsync("/devices/1/log");
Console.WriteLine($"the log has {log.Length} bytes");
using HttpResponseMessage missing = await browser.GetAsync("/devices/1/nothing");
Console.WriteLine($"nothing: {(int)missing.StatusCode}");
string state = await browser.GetStringAsync("/devices/1/relay");
await web.StopAsync();
Console.WriteLine($"the relay behind the web server is {state}");
