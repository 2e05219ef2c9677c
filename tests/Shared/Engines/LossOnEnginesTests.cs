using CoAP.NET.Mesh;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Engines;

/// <summary>
/// Loss over every engine that carries datagrams, in real time: what is lost is sent again, what does not come is given up, and nothing is
/// left of either.
/// </summary>
public sealed class LossOnEnginesTests
{
    private static readonly byte[] s_body = [.. Enumerable.Range(0, 60_000).Select(static i => (byte)(i ^ (i >> 8)))];

    public static TheoryData<string> Engines => EngineList.Datagrams;

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_request_that_is_lost_is_sent_again_until_it_comes_and_runs_once(string engine)
    {
        int runs = 0;
        int left = 3;
        bool loses = false;
        await using EngineWorld world = await StartAsync(engine,
            server => server.MapGet("/x", () => CoapResults.Text($"{Interlocked.Increment(ref runs)}")));
        CoapClient client = QuickClient(world, losesSent: _ => Volatile.Read(ref loses) && Interlocked.Decrement(ref left) >= 0);
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        long before = client.Endpoint.Counters[CoapCounter.Retransmissions];
        Volatile.Write(ref loses, true);
        Assert.Equal("1", (await client.GetAsync(world.Uri("/x")).WaitAsync(EngineWorld.Hang)).GetText());
        Assert.True(client.Endpoint.Counters[CoapCounter.Retransmissions] - before >= 3);
        Assert.Equal(1, runs);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_separate_response_that_is_lost_is_sent_again_until_it_is_acknowledged(string engine)
    {
        TaskCompletionSource acknowledged = new(TaskCreationOptions.RunContinuationsAsynchronously);
        int left = 3;
        bool loses = false;
        await using EngineWorld world = await StartAsync(engine, server => server.MapGet("/slow", async () =>
        {
            await acknowledged.Task;
            return CoapResults.Text("separate");
        }));
        CoapClient client = QuickClient(world, losesReceived: datagram =>
        {
            if (!Volatile.Read(ref loses))
            {
                return false;
            }

            if ((datagram.Span[0] & 0x30) == 0x20)
            {
                acknowledged.TrySetResult();
                return false;
            }

            return Interlocked.Decrement(ref left) >= 0;
        });
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        Volatile.Write(ref loses, true);
        Assert.Equal("separate", (await client.GetAsync(world.Uri("/slow")).WaitAsync(EngineWorld.Hang)).GetText());
        Assert.True(world.Server.Counters[CoapCounter.Retransmissions] >= 3);
        await world.AssertNothingLeftAsync();
    }

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Engines))]
    public async Task Requests_over_a_bad_path_run_once_each_and_end_with_their_own_answer(string engine)
    {
        const int requests = 200;
        int[] runs = new int[requests];
        await using EngineWorld world = await StartAsync(engine, server => server.MapPost("/run", request =>
        {
            int i = int.Parse(request.TryGetQuery("i", out string? text) ? text : "", System.Globalization.CultureInfo.InvariantCulture);
            Interlocked.Increment(ref runs[i]);
            return CoapResults.Text($"{i}");
        }));
        using Losses losses = new(seed: 7, percent: 0);
        CoapClient client = QuickClient(world, losses.Loses, losses.Loses);
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        losses.Percent = 20;
        await Task.WhenAll(Enumerable.Range(0, requests).Select(async i =>
            Assert.Equal($"{i}", (await client.PostAsync(world.Uri($"/run?i={i}"), CoapContent.Text("x"))).GetText())))
            .WaitAsync(EngineWorld.Hang);
        Assert.All(runs, static count => Assert.Equal(1, count));
        Assert.True(losses.Lost > 0);
        losses.Percent = 0;
        await world.AssertNothingLeftAsync();
    }

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Engines))]
    public Task Blocks_over_a_bad_path_become_the_whole_body_both_ways(string engine) => BodiesAsync(engine, CoapQBlock.Off);

    [Theory]
    [MemberData(nameof(Engines))]
    public Task Blocks_that_nobody_acknowledges_become_the_whole_body_over_a_bad_path_both_ways(string engine) =>
        BodiesAsync(engine, CoapQBlock.AllowUnsecured);

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_observer_over_a_bad_path_comes_to_know_the_last_state(string engine)
    {
        int state = 0;
        CoapRouteHandlerBuilder? route = null;
        await using EngineWorld world = await StartAsync(engine, server =>
            route = server.MapGet("/obs", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable());
        using Losses losses = new(seed: 3, percent: 0);
        CoapClient client = QuickClient(world, losses.Loses, losses.Loses);
        await using CoapObservation observation = await client.ObserveAsync(world.Uri("/obs")).WaitAsync(EngineWorld.Hang);
        losses.Percent = 20;
        for (int i = 1; i <= 20; i++)
        {
            Volatile.Write(ref state, i);
            route!.Notify();
            await Eventually.IsTrueAsync(() => observation.Latest!.GetText() == $"{i}");
        }

        Assert.Equal(1, world.Server.ObserverCount);
        Assert.True(losses.Lost > 0);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_observer_that_is_gone_is_given_up(string engine)
    {
        bool isGone = false;
        CoapRouteHandlerBuilder? route = null;
        await using EngineWorld world = await EngineWorld.StartAsync(
            engine,
            server => route = server.MapGet("/obs", static () => CoapResults.Text("x")).Observable(),
            static options => options.Parameters = EngineWorld.Quick with { MaxRetransmit = 2 });
        CoapClient client = QuickClient(world, losesSent: _ => Volatile.Read(ref isGone));
        CoapObservation observation = await client.ObserveAsync(world.Uri("/obs")).WaitAsync(EngineWorld.Hang);
        Assert.Equal(1, world.Server.ObserverCount);
        Volatile.Write(ref isGone, true);
        route!.Notify();
        await Eventually.IsTrueAsync(() => world.Server.ObserverCount == 0);
        Assert.Equal(1, world.Server.Counters[CoapCounter.ObserversLost]);
        await world.AssertNothingLeftAsync();
        Volatile.Write(ref isGone, false);
        await observation.DisposeAsync();
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_request_that_nobody_acknowledges_is_given_up_after_its_last_copy(string engine)
    {
        bool isGone = false;
        await using EngineWorld world = await StartAsync(engine, static _ => { });
        CoapClient client = world.Client(static options => options.Parameters = EngineWorld.Quick with { MaxRetransmit = 3 },
            losesSent: _ => Volatile.Read(ref isGone));
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        long before = client.Endpoint.Counters[CoapCounter.Retransmissions];
        Volatile.Write(ref isGone, true);
        CoapTimeoutException timeout =
            await Assert.ThrowsAsync<CoapTimeoutException>(() => client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang));
        Assert.Equal(CoapTimeoutReason.NotAcknowledged, timeout.Reason);
        Assert.Equal(3, client.Endpoint.Counters[CoapCounter.Retransmissions] - before);
        Assert.Equal(0, client.Endpoint.Pipelines.Sum(static pipeline => pipeline.Messages.Outstanding));
        Volatile.Write(ref isGone, false);
    }

    private static async Task BodiesAsync(string engine, CoapQBlock qBlock)
    {
        await using EngineWorld world = await StartAsync(engine, static server =>
        {
            server.MapGet("/body", static () => CoapResults.Bytes(s_body));
            server.MapPut("/body", static request => CoapResults.Text($"{request.Payload.Span.SequenceEqual(s_body)}"));
        }, qBlock);
        using Losses losses = new(seed: 5, percent: 0);
        CoapClient client = QuickClient(world, losses.Loses, losses.Loses, qBlock);
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        losses.Percent = 10;
        bool isConfirmable = qBlock == CoapQBlock.Off;
        CoapRequest put = new(CoapMethod.Put, world.Uri("/body")) { Confirmable = isConfirmable, Content = CoapContent.Binary(s_body) };
        Assert.Equal("True", (await client.SendAsync(put).WaitAsync(EngineWorld.Hang)).GetText());
        CoapRequest get = new(CoapMethod.Get, world.Uri("/body")) { Confirmable = isConfirmable };
        Assert.True((await client.SendAsync(get).WaitAsync(EngineWorld.Hang)).Payload.Span.SequenceEqual(s_body));
        Assert.True(losses.Lost > 0);
        losses.Percent = 0;
        await Eventually.IsTrueAsync(() => world.Server.RequestsServed == 0);
        if (isConfirmable)
        {
            // Of Non-confirmable messages nobody says that they came; they are remembered for NON_LIFETIME.
            await world.AssertNothingLeftAsync();
        }
    }

    private static Task<EngineWorld> StartAsync(string engine, Action<CoapServer> map, CoapQBlock qBlock = CoapQBlock.Off) =>
        EngineWorld.StartAsync(
            engine,
            server =>
            {
                server.MapGet("/hello", static () => CoapResults.Text("hello"));
                map(server);
            },
            options =>
            {
                options.Parameters = EngineWorld.Quick;
                options.QBlock = qBlock;
            });

    private static CoapClient QuickClient(
        EngineWorld world, Func<CoapDatagram, bool>? losesSent = null, Func<CoapDatagram, bool>? losesReceived = null,
        CoapQBlock qBlock = CoapQBlock.Off) =>
        world.Client(
            options =>
            {
                options.Parameters = EngineWorld.Quick;
                options.QBlock = qBlock;
            },
            losesSent,
            losesReceived);

    private sealed class Losses(int seed, int percent) : IDisposable
    {
        private readonly Random _random = new(seed);
        private int _percent = percent;

        public int Percent
        {
            set => Volatile.Write(ref _percent, value);
        }

        public int Lost { get; private set; }

        public bool Loses(CoapDatagram datagram)
        {
            lock (_random)
            {
                bool loses = _random.Next(100) < Volatile.Read(ref _percent);
                Lost += loses ? 1 : 0;
                return loses;
            }
        }

        public void Dispose() => Percent = 0;
    }
}
