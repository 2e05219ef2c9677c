// A gateway in front of devices: a lamp that listens for UDP, and a boiler that connects to the gateway by TCP, as from behind an address
// translator. Clients read and observe both below paths of the gateway, and may name a device themselves. All run in this process; the
// program ends with 0 when everything was as it should be.
using CoAP.NET;
using CoAP.NET.Options;
using CoAP.NET.Proxy;

// The lamp, a server of its own.
bool isOn = false;
await using CoapServer lamp = new();
lamp.Listen("coap://127.0.0.1:0");
CoapRouteHandlerBuilder state = lamp.MapGet("/state", () => CoapResults.Text(isOn ? "on" : "off")).Observable();
lamp.MapPut("/state", request =>
{
    isOn = request.GetText() == "on";
    state.Notify();
    return CoapResults.Changed();
});
await lamp.StartAsync();

// The gateway. Devices that connect tell their name and are asked over their connection.
CoapProxyOptions options = new() { Identifier = "gateway" };
options.Targets.AllowNetwork("127.0.0.0/8");
await using CoapProxy proxy = new(options);
Dictionary<string, CoapPeer> devices = [];
await using CoapServer gateway = new();
gateway.Listen("coap://127.0.0.1:0").Listen("coap+tcp://127.0.0.1:0");
gateway.MapPost("/register/{name}", request =>
{
    lock (devices)
    {
        devices[request.Route["name"]] = request.Peer;
    }

    return CoapResults.Changed();
});
gateway.MapReverseProxy("/lamp/{*path}", lamp.LocalEndpoints[0], proxy);
gateway.MapReverseProxy("/devices/{name}/{*path}", request => Find(request.Route["name"]), proxy);
gateway.MapForwardProxy(proxy);
await gateway.StartAsync();
string plain = gateway.LocalEndpoints.First(uri => uri.StartsWith("coap:", StringComparison.Ordinal)).TrimEnd('/');
string tcp = gateway.LocalEndpoints.First(uri => uri.StartsWith("coap+tcp:", StringComparison.Ordinal)).TrimEnd('/');

// The boiler: it connects, and answers over the same connection.
CoapRoutes routes = new();
routes.MapGet("/temperature", () => CoapResults.Text("61.5"));
await using CoapEndpoint boiler = new(new CoapEndpointOptions { Routes = routes });
await boiler.SendAsync(new CoapRequest(CoapMethod.Post, $"{tcp}/register/boiler"));

// A client, which knows the gateway only.
await using CoapClient client = new();
await using CoapObservation observation = await client.ObserveAsync($"{plain}/lamp/state");
List<string> seen = [];
Task watching = WatchAsync();
string temperature = (await client.GetAsync($"{plain}/devices/boiler/temperature")).GetText();
CoapRequest named = new(CoapMethod.Put, plain) { Content = CoapContent.Text("on") };
named.Options.Add(new ProxyUri($"{lamp.LocalEndpoints[0].TrimEnd('/')}/state"));
CoapResponse changed = await client.SendAsync(named);
await watching.WaitAsync(TimeSpan.FromSeconds(30));

Console.WriteLine($"boiler: {temperature}");
Console.WriteLine($"lamp: {string.Join(", then ", seen)}");
Console.WriteLine($"the gateway sent on {proxy.GetCounters().Forwarded} requests and observes {proxy.GetCounters().Observations} resource");
bool isRight = temperature == "61.5" && changed.Code == CoapCode.Changed && seen is ["off", "on"];
return isRight ? 0 : 1;

async Task WatchAsync()
{
    await foreach (CoapResponse response in observation.ReadAllAsync())
    {
        seen.Add(response.GetText());
        if (seen.Count == 2)
        {
            return;
        }
    }
}

CoapPeer? Find(string name)
{
    lock (devices)
    {
        return devices.GetValueOrDefault(name);
    }
}
