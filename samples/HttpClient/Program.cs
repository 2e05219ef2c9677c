// A typed client of IHttpClientFactory that asks a CoAP device: JSON, conditions by entity-tags, and a handler around it that repeats what
// failed.
// The device is in this program, at a free port of UDP.
using System.Net;
using CoAP.NET;
using CoAP.NET.Http;
using HttpClientSample;
using Microsoft.Extensions.DependencyInjection;

await using CoapServer device = new();
device.Listen("coap://127.0.0.1:0");
Thermostat thermostat = new();
thermostat.MapTo(device);
await device.StartAsync();

ServiceCollection services = new();
services.AddSingleton<CoapClient>();
services.AddHttpClient<ThermostatClient>(client => client.BaseAddress = new Uri(device.LocalEndpoints[0].ToString()))
    .ConfigurePrimaryHttpMessageHandler(static provider => new CoapHttpMessageHandler(provider.GetRequiredService<CoapClient>()))
    .AddHttpMessageHandler(static () => new RepeatingHandler(attempts: 3));
await using ServiceProvider provider = services.BuildServiceProvider();
ThermostatClient client = provider.GetRequiredService<ThermostatClient>();

Settings before = await client.GetAsync();
Console.WriteLine($"it is set to {before.Celsius} C");

// The device is busy for a moment: 5.03 is 503 here, and the handler asks again.
thermostat.BusyFor(requests: 1);
Console.WriteLine($"set to 22.5 C: {await client.SetAsync(new Settings(22.5))}");

// Somebody else was faster: the entity-tag that the client remembers is old.
thermostat.Turn(18);
HttpStatusCode late = await client.SetAsync(new Settings(30));
Console.WriteLine($"set to 30 C: {late}");

Settings after = await client.GetAsync();
Console.WriteLine($"the thermostat is set to {after.Celsius} C");
