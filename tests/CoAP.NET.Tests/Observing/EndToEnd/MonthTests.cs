using System.Globalization;
using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Observing.EndToEnd;

/// <summary>
/// Our clients observe our server for COAP_TEST_OBSERVE_DAYS (default 0.1; 30 is a month) while everything happens that happens to devices,
/// by COAP_TEST_SEED. Each hour the network heals; then everybody must reach the last state.
/// </summary>
public sealed class MonthTests(ITestOutputHelper output)
{
    private static readonly string[] s_names = ["chatty", "chattynon", "quiet", "kept", "asked"];

    private static double Days =>
        double.TryParse(Environment.GetEnvironmentVariable("COAP_TEST_OBSERVE_DAYS"), NumberStyles.Float, CultureInfo.InvariantCulture,
            out double days) ? days : 0.1;

    [Theory]
    [Trait("Category", "Campaign")]
    [Rfc("7641-4.5-1", "7641-3.4-1", "7641-4.4-1", "7641-8132-1")]
    [InlineData(0)]
    [InlineData(1)]
    public async Task Observers_get_states_in_order_up_to_the_last_under_faults_and_no_state_is_left_behind(int run)
    {
        int seed = EndpointCampaign.Seed + (100 * run);
        Random random = new(seed);

        // Without a context what is awaited goes on where it was completed: on the thread that advances the clock.
        SynchronizationContext.SetSynchronizationContext(null);
        await using ObservedWorld world = new(seed);
        world.Add("chatty", true, 60);
        world.Add("chattynon", false, 60);
        world.Add("quiet", true, 240);
        world.Add("kept", false, 100, refresh: true);
        world.Add("asked", true, 60);
        await world.StartAsync();
        for (int i = 0; i < 4; i++)
        {
            CoapClient client = world.AddClient(i == 0 ? 4 : 1);
            foreach (string name in s_names)
            {
                world.Watch(client, name, name == "asked" ? CoapMethod.Fetch : CoapMethod.Get, name == "asked" ? $"{i}" : null);
            }
        }

        int hours = (int)(24 * Days);
        Events events = new();
        TimeSpan slowest = default;
        for (int hour = 0; hour < hours; hour++)
        {
            await SufferAsync(world, random, events);
            world.Network.Heal();
            world.Network.Conditions = NetworkConditions.Delayed(FromMilliseconds(20 + random.Next(200)));
            TimeSpan healed = world.Clock.Elapsed;
            while (!world.IsConsistent)
            {
                world.Clock.Advance(FromSeconds(5));

                // A client with five registrations under way to an address that is none any more gives them up one after the other
                // (NSTART), and then waits its turn.
                Assert.True(world.Clock.Elapsed - healed < FromMinutes(20), $"Hour {hour} of seed {seed}: {world.Describe()}");
            }

            slowest = world.Clock.Elapsed - healed > slowest ? world.Clock.Elapsed - healed : slowest;
            world.AssertNothingWrong();
        }

        long again = world.Clients.Sum(client => client.Endpoint.Counters[CoapCounter.Reregistrations]);
        output.WriteLine(
            $"{hours} h, {events.Restarts} restarts, {events.Moves} moves, {events.Rebinds} new addresses of clients, {events.Cuts} "
                + $"cuts, {events.Changes} changes, "
                + $"{world.Watchers.Sum(watcher => watcher.Calls)} notifications delivered, {world.Counted(CoapCounter.NotificationsSent)} "
                + $"sent, {again} registrations made again, "
                + $"{world.Clients.Sum(client => client.Endpoint.Counters[CoapCounter.NotificationsOutOfOrder])} out of "
                + $"order, {world.Counted(CoapCounter.ObserversLost)} observers lost, "
                + $"{world.Counted(CoapCounter.AmplificationRefused)} refused as "
                + $"amplification, {world.Counted(CoapCounter.RequestsReceived)} requests, slowest {slowest}");

        // No storm: quiet resources are registered for anew after their Max-Age, others when something went wrong.
        Assert.InRange(again, 1, (long)(20 * world.Watchers.Count * world.Clock.Elapsed.TotalHours));
        await world.EndAsync();
    }

    private static async Task SufferAsync(ObservedWorld world, Random random, Events events)
    {
        world.Network.Conditions = new NetworkConditions
        {
            Loss = 0.5 * random.NextDouble() * random.NextDouble(),
            Duplication = 0.2 * random.NextDouble(),
            Reordering = 0.3 * random.NextDouble(),
            ReorderingWindow = FromSeconds(5 * random.NextDouble()),
            MaxDelay = FromSeconds(2 * random.NextDouble()),
        };
        for (int step = 0; step < 300; step++)
        {
            world.Clock.Advance(FromSeconds(20 * random.NextDouble()));
            Change(world, random, events);
            switch (random.Next(300))
            {
                case 0:
                    events.Restarts++;
                    await world.RestartAsync();
                    break;
                case 1:
                    events.Moves++;
                    await world.RestartAsync(ObservedWorld.AddressNumber(events.Moves % 5));
                    break;
                case 2 or 3:
                    events.Rebinds++;
                    world.Rebind(random.Next(world.Clients.Count));
                    break;
                case 4 or 5:
                    events.Cuts++;
                    world.Network.Partition(world.Address, world.PublicAddressOf(random.Next(world.Clients.Count)));
                    break;
                case 6 or 7:
                    world.Network.Heal();
                    break;
                default:
                    break;
            }
        }
    }

    private static void Change(ObservedWorld world, Random random, Events events)
    {
        int burst = random.Next(20) == 0 ? 50 : 1;
        for (int i = 0; i < burst; i++)
        {
            world.Change("chatty");
            world.Change("chattynon");
        }

        events.Changes += 2 * burst;
        foreach ((string name, int rarely) in new[] { ("quiet", 200), ("kept", 100), ("asked", 3) })
        {
            if (random.Next(rarely) == 0)
            {
                events.Changes++;
                world.Change(name);
            }
        }
    }

    private sealed class Events
    {
        public int Restarts { get; set; }

        public int Moves { get; set; }

        public int Rebinds { get; set; }

        public int Cuts { get; set; }

        public int Changes { get; set; }
    }
}
