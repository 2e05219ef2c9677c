// A gateway in front of devices: a lamp that listens for UDP, and a boiler that connects to the gateway by TCP, as from behind an address
// translator. Clients read and observe both below paths of the gateway, and may name a device themselves. A service that was there before,
// which knows HTTP and JSON only, gets the readings of the boiler and sends it commands. All run in this process; the program ends with 0
// when everything was as it should be.
using System.Globalization;
using CoAP.NET;
using CoAP.NET.Http;
using CoAP.NET.Proxy;
using Gateway;
using Microsoft.AspNetCore.Builder;

CultureInfo invariant = CultureInfo.InvariantCulture;

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
options.Targets.AllowNetwork("127.0.0.0/8:*");
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

// The existing service: readings go to it as JSON, with a signed token that says which device it is.
byte[] key = new byte[32];
CoapRandomSource.Secure.Fill(key);
await using ExistingService service = new(key);
await service.StartAsync();
gateway.MapHttpBackend("/readings", $"{service.Address}/readings", proxy, http =>
{
    http.Translator.ConvertsJson = true;
    http.Identity = request => NameOf(request.Peer);
    http.IdentityKey = key;
});

// Its commands come by HTTP, and go to devices over the connections that they have. Add RequireAuthorization() in an application of yours.
await using WebApplication commands = Web.Make();
commands.MapCoapDevices(
    "/devices/{name}/{**path}",
    context => Find((string)context.Request.RouteValues["name"]!),
    devices => devices.Translator.ConvertsJson = true);
await commands.StartAsync();
await gateway.StartAsync();
CoapUri plain = gateway.LocalEndpoints.First(uri => uri.Scheme == "coap");
CoapUri tcp = gateway.LocalEndpoints.First(uri => uri.Scheme == "coap+tcp");

// The boiler: it connects, and answers over the same connection.
CoapRoutes routes = new();
routes.MapGet("/temperature", () => CoapResults.Text("61.5"));
double target = 0;
routes.MapPut("/target", request =>
{
    target = request.ReadCbor(GatewayJson.Default.Command)!.Target;
    return CoapResults.Changed();
});
await using CoapEndpoint boiler = new(new CoapEndpointOptions { Routes = routes });
await boiler.SendAsync(new CoapRequest(CoapMethod.Post, tcp.Resolve("/register/boiler")));

// A client, which knows the gateway only.
await using CoapClient client = new();
await using CoapObservation observation = await client.ObserveAsync(plain.Resolve("/lamp/state"));
List<string> seen = [];
Task watching = WatchAsync();
string temperature = (await client.GetAsync(plain.Resolve("/devices/boiler/temperature"))).GetText();
CoapRequest named = new(CoapMethod.Put, plain) { Content = CoapContent.Text("on") };
named.Options.Add(new ProxyUriOption($"{lamp.LocalEndpoints[0].Resolve("/state")}"));
CoapResponse changed = await client.SendAsync(named);
await watching.WaitAsync(TimeSpan.FromMinutes(5));

// The boiler tells its temperature in CBOR, and the service answers with a command in JSON.
CoapContent reading = CoapContent.Cbor(new Reading(61.5), GatewayJson.Default.Reading);
CoapResponse told = await boiler.SendAsync(new CoapRequest(CoapMethod.Post, tcp.Resolve("/readings")) { Content = reading });
await service.CommandAsync(new Uri(Web.AddressOf(commands)), "boiler", 55);

Console.WriteLine($"boiler: {temperature}");
Console.WriteLine($"lamp: {string.Join(", then ", seen)}");
double known = service.Readings.GetValueOrDefault("boiler");
Console.WriteLine($"the service knows {known.ToString(invariant)} C, and the boiler heats to {target.ToString(invariant)} C");
bool isRight = temperature == "61.5" && changed.Code == CoapCode.Changed && seen is ["off", "on"]
    && told.Code == CoapCode.Changed && known == 61.5 && target == 55;
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

string? NameOf(CoapPeer peer)
{
    lock (devices)
    {
        return devices.FirstOrDefault(device => device.Value.RemoteEndPoint.Equals(peer.RemoteEndPoint)).Key;
    }
}

CoapPeer? Find(string name)
{
    lock (devices)
    {
        return devices.GetValueOrDefault(name);
    }
}
