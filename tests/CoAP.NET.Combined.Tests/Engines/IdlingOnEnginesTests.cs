using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Engines;

/// <summary>Connections that are idle, dead or cut, over every engine that has connections and in real time.</summary>
public sealed class IdlingOnEnginesTests
{
    public static TheoryData<string> Engines => EngineList.Streams;

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_idle_connection_is_released_and_the_next_request_opens_another(string engine)
    {
        await using EngineWorld world = await EngineWorld.StartAsync<EngineList>(engine, MapHello,
            static options => options.Transports.Streams.IdleTimeout = FromMilliseconds(200));
        CoapClient client = world.Client();
        for (int i = 1; i <= 2; i++)
        {
            await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
            await Eventually.IsTrueAsync(() => world.Server.Endpoint.Connections.Count == 0
                && world.Server.Counters[CoapCounter.ConnectionsClosed] >= i);
        }

        // More where the machine was too busy to send a request in the time of an idle connection.
        Assert.InRange(world.Server.Counters[CoapCounter.ConnectionsAccepted], 2, int.MaxValue);
        Assert.Equal(0, world.Server.Counters[CoapCounter.ConnectionsLost]);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_silent_peer_gets_Pings_and_its_connection_stays_open_while_it_answers(string engine)
    {
        int pings = 0;
        await using EngineWorld world = await EngineWorld.StartAsync<EngineList>(engine, MapHello,
            static options => options.Transports.Streams.KeepAliveInterval = FromMilliseconds(50));

        // 7.02 Ping and 7.03 Pong have no token here: a frame is its head, which begins with 0, and its code.
        CoapClient client = world.Client(losesReceived: datagram =>
        {
            Interlocked.Add(ref pings, datagram.Span.IndexOf((byte)0xe2) is >= 0 and < 4 ? 1 : 0);
            return false;
        });
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        await Eventually.IsTrueAsync(() => Volatile.Read(ref pings) >= 5);
        Assert.Equal(1, world.Server.Endpoint.Connections.Count);
        await client.GetAsync(world.Uri("/hello")).WaitAsync(EngineWorld.Hang);
        Assert.Equal(1, world.Server.Counters[CoapCounter.ConnectionsAccepted]);
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task A_connection_without_a_Pong_is_lost_with_its_observations(string engine)
    {
        bool isDead = false;
        await using EngineWorld world = await EngineWorld.StartAsync<EngineList>(
            engine,
            static server => server.MapGet("/obs", static () => CoapResults.Text("x")).Observable(),
            static options =>
            {
                options.Transports.Streams.KeepAliveInterval = FromMilliseconds(50);
                options.Transports.Streams.PongTimeout = FromMilliseconds(200);
            });
        CoapClient client = world.Client(losesSent: _ => Volatile.Read(ref isDead));
        CoapObservation observation = await client.ObserveAsync(world.Uri("/obs")).WaitAsync(EngineWorld.Hang);
        Volatile.Write(ref isDead, true);
        await Eventually.IsTrueAsync(() => world.Server.Counters[CoapCounter.ConnectionsLost] >= 1 && world.Server.ObserverCount == 0);
        Volatile.Write(ref isDead, false);
        await observation.DisposeAsync();
    }

    private static void MapHello(CoapServer server) => server.MapGet("/hello", static () => CoapResults.Text("hello"));
}
