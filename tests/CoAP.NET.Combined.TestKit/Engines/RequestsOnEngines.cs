using CoAP.NET.Caching;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Engines;

/// <summary>Requests, bodies, pings, freshness and stopping over every engine and in real time.</summary>
public abstract class RequestsOnEngines<TEngines>
    where TEngines : IEngineList
{
    private static readonly byte[] s_body = [.. Enumerable.Range(0, 200_000).Select(static i => (byte)(i ^ (i >> 8)))];

    public static TheoryData<string> Engines => TEngines.All;

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Requests_of_several_clients_each_get_their_own_answer(string engine)
    {
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, static server =>
            server.MapGet("/say", static request => CoapResults.Text(request.TryGetQuery("i", out string? i) ? i : "none")));
        CoapClient[] clients = [
            .. Enumerable.Range(0, 4).Select(_ => world.Client(static options => options.Parameters = EngineWorld.Quick))];
        await Task.WhenAll(clients.Index().SelectMany(item => Enumerable.Range(0, 50).Select(async i =>
        {
            string text = $"{item.Index}-{i}";
            await item.Item.GetAsync(world.Uri($"/say?i={text}")).Says(text);
        }))).WaitAsync(EngineWorld.Hang);
        await world.AssertNothingLeftAsync();
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Bodies_arrive_complete_in_both_directions(string engine)
    {
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, MapBody);
        CoapClient client = world.Client();
        CoapResponse up = await client.PutAsync(world.Uri("/body"), CoapContent.Binary(s_body)).WaitAsync(EngineWorld.Hang);
        CoapResponse down = await client.GetAsync(world.Uri("/body")).WaitAsync(EngineWorld.Hang);
        up.Says("True");
        Assert.True(down.Payload.Span.SequenceEqual(s_body));
        await world.AssertNothingLeftAsync();
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Pings_are_answered(string engine)
    {
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, static _ => { });
        CoapClient client = world.Client();
        for (int i = 0; i < 20; i++)
        {
            Assert.True(await client.PingAsync(world.Uri("")).WaitAsync(EngineWorld.Hang) >= TimeSpan.Zero);
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_cached_response_is_used_until_its_Max_Age_ends(string engine)
    {
        int runs = 0;
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, server =>
        {
            server.MapGet("/hello", static () => "hello");
            server.MapGet("/x", () => CoapResults.Text($"{Interlocked.Increment(ref runs)}").WithMaxAge(FromSeconds(1)));
        });
        VirtualClock clock = new();
        CoapClient client = world.Client(options => (options.Cache, options.TimeProvider) = (new CoapCache(), clock));
        async Task<string> AskAsync() => (await client.GetAsync(world.Uri("/x")).WaitAsync(EngineWorld.Hang)).GetText();

        // What is stored is for the identity of the peer, which a session has told by then.
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        Assert.Equal("1", await AskAsync());
        Assert.Equal("1", await AskAsync());
        clock.Advance(FromSeconds(2));
        Assert.Equal("2", await AskAsync());
        Assert.Equal(2, runs);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_stopping_server_answers_requests_in_progress_and_ends(string engine)
    {
        TaskCompletionSource running = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource goesOn = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(
            engine,
            server => server.MapGet("/slow", async () =>
            {
                running.SetResult();
                await goesOn.Task;
                return CoapResults.Text("done");
            }),
            static options => options.Processes.StopGracePeriod = FromSeconds(30));
        CoapClient client = world.Client(static options => options.Parameters = EngineWorld.Quick);
        Task<CoapResponse> request = client.GetAsync(world.Uri("/slow"));
        await running.Task.WaitAsync(EngineWorld.Hang);
        Task stopping = world.Server.StopAsync();
        goesOn.SetResult();
        await request.WaitAsync(EngineWorld.Hang).Says("done");
        await stopping.WaitAsync(EngineWorld.Hang);
        Assert.Equal(0, world.Server.RequestsServed);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_request_ends_at_its_timeout_although_its_handler_does_not(string engine)
    {
        TaskCompletionSource never = new(TaskCreationOptions.RunContinuationsAsynchronously);
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, server =>
        {
            server.MapGet("/hello", static () => CoapResults.Text("hello"));
            server.MapGet("/never", async () =>
            {
                await never.Task;
                return CoapResults.Text("late");
            });
        });
        CoapClient client = world.Client(static options => options.Parameters = EngineWorld.Quick);
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        CoapRequest request = new(CoapMethod.Get, world.Uri("/never")) { Timeout = FromMilliseconds(200) };
        await Assert.ThrowsAsync<CoapTimeoutException>(() => client.SendAsync(request).WaitAsync(EngineWorld.Hang));
        never.SetResult();
        await world.AssertNothingLeftAsync();
    }

    private static void MapBody(CoapServer server)
    {
        server.MapGet("/body", static () => CoapResults.Bytes(s_body));
        server.MapPut("/body", static request => CoapResults.Text($"{request.Payload.Span.SequenceEqual(s_body)}"));
    }
}
