using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Engines;

/// <summary>Observers over every engine that carries datagrams, where some are lost.</summary>
public abstract class ObserversWithLoss<TEngines> : LossyEngines<TEngines>
    where TEngines : IEngineList
{
    [Theory]
    [MemberData(nameof(Engines))]
    public async Task An_observer_over_a_lossy_path_gets_the_last_state_in_the_end(string engine)
    {
        int state = 0;
        CoapRouteHandlerBuilder? route = null;
        await using EngineWorld world = await StartAsync(engine, server =>
            route = server.MapGet("/obs", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable());
        using Losses losses = new(seed: 3, percent: 0);
        CoapClient client = QuickClient(world, losses.Loses, losses.Loses);
        await using CoapObservation observation = await client.ObserveAsync(world.Uri("/obs")).WaitAsync(EngineWorld.Hang);
        losses.Percent = 20;
        for (int i = 1; i <= 10; i++)
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
    public async Task An_observer_that_is_unreachable_is_removed(string engine)
    {
        bool isGone = false;
        CoapRouteHandlerBuilder? route = null;
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(
            engine,
            server => route = server.MapGet("/obs", static () => CoapResults.Text("x")).Observable(),
            static options => options.Parameters = EngineWorld.Quick with { MaxRetransmit = 2 });
        CoapClient client = QuickClient(world, losesSent: _ => Volatile.Read(ref isGone));
        CoapObservation observation = await client.ObserveAsync(world.Uri("/obs")).WaitAsync(EngineWorld.Hang);
        Assert.Equal(1, world.Server.ObserverCount);
        Volatile.Write(ref isGone, true);
        route!.Notify();
        await Eventually.IsTrueAsync(() => world.Server.ObserverCount == 0);
        await Eventually.IsTrueAsync(() => world.Server.Counters[CoapCounter.ObserversLost] == 1);
        await world.AssertNothingLeftAsync();
        Volatile.Write(ref isGone, false);
        await observation.DisposeAsync();
    }
}
