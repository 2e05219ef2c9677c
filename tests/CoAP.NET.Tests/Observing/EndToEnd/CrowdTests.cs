using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Observing.EndToEnd;

/// <summary>COAP_TEST_OBSERVERS (default 300) clients of one resource, each with an address of its own.</summary>
public sealed class CrowdTests
{
    private static int Crowd => CampaignSetting.Of("COAP_TEST_OBSERVERS", 300);

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7641-3.3.1-3", "7641-4.5-1")]
    public async Task Each_observer_registers_again_once_after_a_server_restart_spread_over_time()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        await using ObservedWorld world = new(7);
        world.Add("one", true, 60);
        await world.StartAsync();
        world.Network.Conditions = NetworkConditions.Delayed(FromMilliseconds(50));
        for (int i = 0; i < Crowd; i++)
        {
            world.Watch(world.AddClient(), "one");
        }

        world.Clock.Advance(FromSeconds(5));
        await Task.WhenAll(world.Watchers.Select(watcher => watcher.Registering!)).WaitAsync(FromMinutes(2));
        Assert.True(world.IsConsistent, world.Describe());
        Assert.Equal(Crowd, world.Server.ObserverCount);
        for (int i = 0; i < 3; i++)
        {
            world.Change("one");
            world.Clock.Advance(FromSeconds(5));
            Assert.True(world.IsConsistent, world.Describe());
        }

        Assert.Equal(3 * Crowd, world.Server.Counters[CoapCounter.NotificationsSent]);
        await world.RestartAsync();
        world.Change("one");

        // Nobody before Max-Age has ended and five seconds more have passed; everybody ten seconds later; nobody twice.
        world.Clock.Advance(FromSeconds(59));
        Assert.Equal(0, world.Server.Counters[CoapCounter.RequestsReceived]);
        long most = 0;
        long before = 0;
        for (int i = 0; i < 12; i++)
        {
            world.Clock.Advance(FromSeconds(1));
            long now = world.Server.Counters[CoapCounter.RequestsReceived];
            most = Math.Max(most, now - before);
            before = now;
        }

        world.Clock.Advance(FromSeconds(5));
        Assert.True(world.IsConsistent, world.Describe());
        Assert.Equal(Crowd, world.Server.Counters[CoapCounter.RequestsReceived]);
        Assert.InRange(most, Crowd / 20, Crowd / 4);

        // Everybody leaves at once.
        foreach (Watcher watcher in world.Watchers)
        {
            await watcher.DisposeAsync();
        }

        world.Clock.Advance(FromHours(1));
        world.AssertNothingWrong();
        world.AssertFreed();
        Assert.Equal(2 * Crowd, world.Server.Counters[CoapCounter.RequestsReceived]);
    }

    [Fact]
    public async Task A_slow_reader_gets_the_newest_state_and_does_not_delay_other_observers()
    {
        SynchronizationContext.SetSynchronizationContext(null);
        await using ObservedWorld world = new(8);
        world.Add("one", true, 600);
        await world.StartAsync();
        Watcher quick = world.Watch(world.AddClient(), "one");
        world.Clock.Advance(FromSeconds(1));
        await quick.Registering!.WaitAsync(FromMinutes(2));
        await using CoapObservation observation = await world.Clients[0].ObserveAsync($"coap://{ObservedWorld.Host}/one");
        await using IAsyncEnumerator<CoapResponse> reader = observation.ReadAllAsync().GetAsyncEnumerator();
        for (int i = 0; i < 10; i++)
        {
            Assert.True(await reader.MoveNextAsync().AsTask().WaitAsync(FromMinutes(2)));
            reader.Current.GetText().Begins($"one:{100 * i};");
            for (int change = 0; change < 100; change++)
            {
                world.Change("one");
                world.Clock.Advance(FromSeconds(1));
            }

            Assert.True(world.IsConsistent, world.Describe());
        }

        Assert.Equal(1001, quick.Calls);
        Assert.Equal(1, world.Server.ObserverCount);
        world.AssertNothingWrong();
    }
}
