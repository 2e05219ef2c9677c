namespace CoAP.NET.Reliability.Tests.Hogs;

/// <summary>
/// Handlers that take their thread for long, over sockets and threads. Alone, as pauses of garbage collections are no time of a handler.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class HogTests
{
    [Fact]
    public async Task Blocking_handlers_run_concurrently_although_few_handlers_may_compute()
    {
        using CountdownEvent all = new(20);
        await using CoapServer server = new();
        server.MapGet("/hog", () =>
        {
            all.Signal();
            all.Wait(TimeSpan.FromMinutes(2));
            return all.IsSet ? "all" : "not all";
        }).WithExecution(queued: 20);
        server.Listen("coap+tcp://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        CoapResponse[] responses =
            await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => client.GetAsync(server.LocalEndpoints[0] + "hog")));
        Assert.All(responses, response => Assert.Equal("all", response.GetText()));
    }

    [Fact]
    public async Task Computing_handlers_occupy_at_most_half_of_the_processors()
    {
        int running = 0;
        int most = 0;
        await using CoapServer server = new();
        server.MapGet("/hog", () =>
        {
            int now = Interlocked.Increment(ref running);
            InterlockedMax(ref most, now);
            double work = 1;
            for (int i = 0; i < 300_000; i++)
            {
                work = Math.Sqrt(work + i);
            }

            Interlocked.Decrement(ref running);
            return work > 0 ? "done" : "";
        }).WithExecution(queued: 20);
        server.Listen("coap+tcp://127.0.0.1:0");
        await server.StartAsync();
        await using CoapClient client = new();
        await Task.WhenAll(Enumerable.Range(0, 40).Select(_ => client.GetAsync(server.LocalEndpoints[0] + "hog")));
        Assert.InRange(most, 1, Math.Max(1, Environment.ProcessorCount / 2) + 2);
    }

    private static void InterlockedMax(ref int most, int value)
    {
        int seen = Volatile.Read(ref most);
        while (value > seen && Interlocked.CompareExchange(ref most, value, seen) is var found && found != seen)
        {
            seen = found;
        }
    }
}
