using System.Globalization;

namespace CoAP.NET.Tests.Engines;

/// <summary>Observing over every engine and in real time.</summary>
public abstract class ObservingOnEngines<TEngines>
    where TEngines : IEngineList
{
    public static TheoryData<string> Engines => TEngines.All;

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Slow_acknowledgements_do_not_delay_later_notifications(string engine)
    {
        const int seenAtLeast = 40;
        int state = 0;
        CoapRouteHandlerBuilder? route = null;
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, server =>
            route = server.MapGet("/obs", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable());
        CoapClient client = world.Client(delay: FromMilliseconds(30));
        List<int> seen = [];
        await using CoapObservation observation = await client.ObserveAsync(world.Uri("/obs"), response =>
        {
            lock (seen)
            {
                seen.Add(NumberOf(response));
            }
        }).WaitAsync(EngineWorld.Hang);

        // Timers that each time come later by their own lateness let through seven in half a minute.
        using CancellationTokenSource guard = new(FromMinutes(2));
        while (Count() < seenAtLeast)
        {
            Interlocked.Increment(ref state);
            route!.Notify();
            await Task.Delay(FromMilliseconds(10), TimeProvider.System, guard.Token);
        }

        await Eventually.IsTrueAsync(() => NumberOf(observation.Latest!) == Volatile.Read(ref state));

        // A run that comes late reads the state of the next change, whose own run then reads it again.
        Assert.Equal(seen.Order(), seen);

        int Count()
        {
            lock (seen)
            {
                return seen.Count;
            }
        }
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Every_observer_gets_the_last_state_and_all_observers_are_removed_at_the_end(string engine)
    {
        const int observers = 8;
        int state = 0;
        CoapRouteHandlerBuilder? route = null;
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, server =>
            route = server.MapGet("/obs", () => CoapResults.Text($"{Volatile.Read(ref state)}")).Observable());
        CoapObservation[] observations = await Task.WhenAll(
            Enumerable.Range(0, observers).Select(_ => world.Client().ObserveAsync(world.Uri("/obs")))).WaitAsync(EngineWorld.Hang);
        Assert.Equal(observers, world.Server.ObserverCount);
        for (int i = 0; i < 50; i++)
        {
            Interlocked.Increment(ref state);
            route!.Notify();
        }

        await Eventually.IsTrueAsync(() => Array.TrueForAll(observations, observation => NumberOf(observation.Latest!) == 50));
        foreach (CoapObservation observation in observations)
        {
            await observation.DisposeAsync();
        }

        await Eventually.IsTrueAsync(() => world.Server.ObserverCount == 0);
        await world.AssertNothingLeftAsync();
    }

    [Theory]
    [MemberData(nameof(Engines))]
    public async Task Notifications_larger_than_a_datagram_arrive_complete_and_in_order(string engine)
    {
        int state = 0;
        CoapRouteHandlerBuilder? route = null;
        await using EngineWorld world = await EngineWorld.StartAsync<TEngines>(engine, server =>
            route = server.MapGet("/obs", () => CoapResults.Bytes(Body(Volatile.Read(ref state)))).Observable());
        await using CoapObservation observation = await world.Client().ObserveAsync(world.Uri("/obs")).WaitAsync(EngineWorld.Hang);
        using CancellationTokenSource guard = new(EngineWorld.Hang);
        int expected = 0;
        await foreach (CoapResponse response in observation.ReadAllAsync(guard.Token))
        {
            Assert.Equal(Body(expected), response.Payload.ToArray());
            if (++expected == 5)
            {
                break;
            }

            Volatile.Write(ref state, expected);
            route!.Notify();
        }
    }

    private static int NumberOf(CoapResponse response) => int.Parse(response.GetText(), CultureInfo.InvariantCulture);

    private static byte[] Body(int state) => [.. Enumerable.Range(0, 5000).Select(i => (byte)(i + state))];
}
