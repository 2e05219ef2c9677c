// A client observes a resource in two ways. In the middle the server stops; another one takes its place, and the observations come back
// by themselves.
using System.Threading.Tasks.Dataflow;
using CoAP.NET;

long begun = TimeProvider.System.GetTimestamp();
using CancellationTokenSource guard = new(TimeSpan.FromMinutes(5));
int degrees = 20;
CoapServer server = await ServeAsync("server 1", new CoapUri("coap://127.0.0.1:0"));
CoapUri host = server.LocalEndpoints[0];

await using CoapClient client = new();
await using CoapObservation observation = await client.ObserveAsync(host.Resolve("/temperature"), guard.Token);
observation.StateChanged += (_, state) => Say(observation.Error is { } error ? $"state: {state} ({error.Message})" : $"state: {state}");

// The other way: a block of Dataflow. Both share one registration.
await using CoapObservation byBlock = await client.ObserveAsync(host.Resolve("/temperature"), guard.Token);
int posted = 0;
TaskCompletionSource postedAgain = new(TaskCreationOptions.RunContinuationsAsynchronously);
ActionBlock<CoapResponse> block = new(response =>
{
    Interlocked.Increment(ref posted);
    LookForServer2(response, postedAgain);
});
using IDisposable link = byBlock.AsSourceBlock().LinkTo(block);
Say($"2 observations, {server.ObserverCount} observer at the server, state: {observation.State}");

int[] heard = new int[2];
try
{
    await foreach (CoapResponse response in observation.ReadAllAsync(guard.Token))
    {
        string text = response.GetText();
        Say($"{text}, good for {response.MaxAge.TotalSeconds} s");
        int from = text.StartsWith("server 1", StringComparison.Ordinal) ? 0 : 1;
        if (++heard[from] == 4 && from == 0)
        {
            await server.DisposeAsync();
            Say("server 1 has stopped. Nobody tells the client: it notices when Max-Age ends");
            await Task.Delay(TimeSpan.FromSeconds(2), TimeProvider.System, guard.Token);
            server = await ServeAsync("server 2", host);
            Say("server 2 listens in its place. The client registers again 5 to 15 s after Max-Age ended");
        }
        else if (heard[1] == 4)
        {
            break;
        }
    }

    await postedAgain.Task.WaitAsync(guard.Token);
}
catch (OperationCanceledException)
{
    Console.Error.WriteLine($"The observations did not all come back: {observation}, {byBlock}");
    return 1;
}

await observation.DisposeAsync();
Say($"block given {posted} times");
Say($"client counted: {client.Endpoint.Counters}");
await server.DisposeAsync();
bool isRight = client.Endpoint.Counters["Reregistrations"] > 0;
Console.WriteLine(isRight ? "the observation came back" : "something is missing above");
return isRight ? 0 : 1;

// A resource that changes every half second. Max-Age is short here, so that the client soon notices when the server is gone.
async Task<CoapServer> ServeAsync(string name, CoapUri address)
{
    CoapServer served = new();
    CoapRouteHandlerBuilder temperature = served.MapGet("/temperature", () => CoapResults.Text($"{name}: {degrees} C"))
        .Observable(observe => observe.MaxAge = TimeSpan.FromSeconds(1));
    await served.Listen(address.ToString()).StartAsync();
    _ = ChangeAsync(served, temperature);
    return served;
}

async Task ChangeAsync(CoapServer served, CoapRouteHandlerBuilder temperature)
{
    while (!served.Endpoint.Completion.IsCompleted)
    {
        await Task.Delay(TimeSpan.FromSeconds(0.5), TimeProvider.System);
        Interlocked.Increment(ref degrees);
        temperature.Notify();
    }
}

static void LookForServer2(CoapResponse response, TaskCompletionSource cameBack)
{
    if (response.GetText().StartsWith("server 2", StringComparison.Ordinal))
    {
        cameBack.TrySetResult();
    }
}

void Say(string what) => Console.WriteLine($"{TimeProvider.System.GetElapsedTime(begun).TotalSeconds,5:0.0} s  {what}");
