// A collector asks meters whose readings take long, and ends before they come. The next process reads them all: which meter a response is
// of, and when it was asked, travels in the token of the request, encrypted (RFC 8974). The collector keeps nothing for a request that was
// acknowledged, so that meters which never answer cost no memory either.
using System.Buffers.Binary;
using System.Collections.Concurrent;
using CoAP.NET;
using CoAP.NET.Stateless;

const int Meters = 100;
using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));

// Each meter measures until it is told that it has waited long enough. The server acknowledges a request meanwhile.
TaskCompletionSource measured = new(TaskCreationOptions.RunContinuationsAsynchronously);
await using CoapServer meters = new();
meters.MapGet("/meters", () => $"{Meters} meters");
meters.MapGet("/meters/{id}/reading", async (int id, CancellationToken cancellationToken) =>
{
    await measured.Task.WaitAsync(cancellationToken);
    return $"{id * 1.5:F1} kWh";
});
meters.Listen("coap://127.0.0.1:0");
await meters.StartAsync(guard.Token);
CoapUri uri = meters.LocalEndpoints[0];

// Both processes have the secret from which the keys of tokens are derived, and the same port.
byte[] secret = new byte[32];
CoapRandomSource.Secure.Fill(secret);
CoapUri port;
await using (CoapServer first = MakeCollector(secret, new CoapUri("coap://127.0.0.1:0")))
{
    await first.StartAsync(guard.Token);
    port = first.LocalEndpoints[0];
    using CoapStatelessClient client = new(first.Endpoint, static response => Console.WriteLine($"there are {response.Response.GetText()}"));

    // The first request to a server finds out whether it supports long tokens.
    await client.SendAsync(new CoapRequest(CoapMethod.Get, uri.Resolve("/meters")), default, guard.Token);
    byte[] state = new byte[sizeof(int)];
    for (int id = 1; id <= Meters; id++)
    {
        BinaryPrimitives.WriteInt32BigEndian(state, id);
        await client.SendAsync(new CoapRequest(CoapMethod.Get, uri.Resolve($"/meters/{id}/reading")), state, guard.Token);
    }

    // Until a request is acknowledged it is kept, to be sent again; then nothing is.
    while (first.Endpoint.GetSnapshot().Peers.Any(static peer => peer.Outstanding + peer.Queued > 0))
    {
        await Task.Delay(TimeSpan.FromMilliseconds(20), TimeProvider.System, guard.Token);
    }
}

Console.WriteLine($"the collector asked {Meters} meters and ended before one of them answered");

ConcurrentDictionary<int, string> readings = new();
TaskCompletionSource complete = new(TaskCreationOptions.RunContinuationsAsynchronously);
await using CoapServer second = MakeCollector(secret, port);
await second.StartAsync(guard.Token);
using CoapStatelessClient next = new(second.Endpoint, response =>
{
    readings[BinaryPrimitives.ReadInt32BigEndian(response.State.Span)] = response.Response.GetText();
    if (readings.Count == Meters)
    {
        complete.TrySetResult();
    }
});
measured.SetResult();
await complete.Task.WaitAsync(guard.Token);

Console.WriteLine($"meter 1: {readings[1]}, meter {Meters}: {readings[Meters]}");
Console.WriteLine($"the next collector has the readings of {readings.Count} meters");

// Its requests do not wait for each other: one server stands for many meters here.
static CoapServer MakeCollector(byte[] secret, CoapUri uri)
{
    CoapServer collector = new(new CoapEndpointOptions
    {
        Parameters = CoapTransmissionParameters.Default with { NStart = Meters },
        Processes = { SharedSecret = secret },
    });
    collector.Listen(uri.ToString());
    return collector;
}
