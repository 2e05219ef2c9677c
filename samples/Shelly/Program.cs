// Hears first-generation Shelly devices (relays, plugs, sensors): they publish their status by multicast, with a method and options of
// their own (CoIoT).
//   dotnet run -c Release --project samples/Shelly             hears the devices of the local network until Ctrl+C
//   dotnet run -c Release --project samples/Shelly -- --demo   hears a device that this program plays, on loopback
using CoAP.NET;
using Shelly;

bool isDemo = args is ["--demo"];
using CancellationTokenSource stop = new();
Console.CancelKeyPress += (_, pressed) =>
{
    pressed.Cancel = true;
    stop.Cancel();
};

await using CoapServer gateway = new(new CoapEndpointOptions { Registry = CoIoT.Registry });
gateway.Listen(isDemo ? "coap://127.0.0.1:0" : "coap://0.0.0.0:5683");
if (!isDemo)
{
    // 224.0.1.187 on all interfaces; a home automation server on this machine may have the port, too.
    gateway.JoinGroups(new CoapGroupOptions { SharePort = true });
}

Dictionary<string, DeviceDescription> known = [];
TaskCompletionSource<DeviceStatus> heard = new(TaskCreationOptions.RunContinuationsAsynchronously);
gateway.Map("/cit/s", [CoIoT.Publish], async (CoapRequestContext request, CancellationToken cancellationToken) =>
{
    if (request.Options.Get<DeviceId>() is not { } id)
    {
        return CoapResults.BadRequest();
    }

    // What the numbers mean is asked once of each device, at the address that it published from.
    if (!known.TryGetValue(id.Value, out DeviceDescription? description))
    {
        CoapResponse described = await request.Peer.GetAsync("/cit/d", cancellationToken);
        known[id.Value] = description = DeviceDescription.Parse(described.Payload);
    }

    DeviceStatus status = new(id.Value, description.Explain(request.Payload), request.Options.Get<Validity>()?.Duration,
        request.Options.Get<Serial>()?.Value);
    Console.WriteLine(status);
    heard.TrySetResult(status);
    return CoapResults.Changed();
}).AllowMulticast().WithExecution(CoapExecution.Serial());
await gateway.StartAsync();
Console.WriteLine($"hearing on {gateway.LocalEndpoints[0]}");
if (!isDemo)
{
    await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, stop.Token).ContinueWith(static _ => { }, TaskScheduler.Default);
    return 0;
}

stop.CancelAfter(TimeSpan.FromMinutes(5));
await using DemoDevice device = await DemoDevice.StartAsync();
await device.PublishAsync(gateway.LocalEndpoints[0], stop.Token);
DeviceStatus seen = await heard.Task.WaitAsync(stop.Token);
bool isRight = seen.Values.Contains(("relay_0 State", "1")) && seen.HoldsFor == TimeSpan.FromSeconds(38);
Console.WriteLine(isRight ? "the relay is on" : "something is missing above");
return isRight ? 0 : 1;
