using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Observing.EndToEnd;

/// <summary>
/// Representations of many blocks, of which a notification brings the first (RFC 7959 section 2.6), in memory and from streams.
/// COAP_TEST_OBSERVE_ROUNDS (default 2) rounds.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LargeTests(ITestOutputHelper output)
{
    private static readonly string[] s_names = ["large", "largenon", "stream"];

    private static int Rounds => CampaignSetting.Of("COAP_TEST_OBSERVE_ROUNDS", 2);

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7959-2.6-2", "7959-2.6-3", "7641-4.5-1")]
    public async Task A_large_representation_that_changes_while_its_rest_is_fetched_arrives_whole_and_unmixed()
    {
        int seed = EndpointCampaign.Seed + 7;
        Random random = new(seed);
        await using ObservedWorld world = new(seed);
        world.Add("large", true, 120, length: 5000);
        world.Add("largenon", false, 120, length: 3000);
        world.Add("stream", true, 120, length: 6000, isStream: true);
        await world.StartAsync();
        world.Network.Conditions = NetworkConditions.Delayed(FromMilliseconds(50));
        for (int i = 0; i < 2; i++)
        {
            CoapClient client = world.AddClient(i == 0 ? 4 : 1);
            Array.ForEach(s_names, name => world.Watch(client, name));
        }

        TimeSpan slowest = default;
        for (int round = 0; round < Rounds; round++)
        {
            world.Network.Conditions = new NetworkConditions
            {
                Loss = 0.2 * random.NextDouble(),
                Duplication = 0.1,
                Reordering = 0.1,
                ReorderingWindow = FromSeconds(1),
                MinDelay = FromMilliseconds(20),
                MaxDelay = FromMilliseconds(200),
            };
            for (int i = 0; i < 15; i++)
            {
                Array.ForEach(s_names, world.Change);
                TimeSpan next = world.Clock.Elapsed + FromMilliseconds(random.Next(2000));
                await world.Clock.AdvanceUntilAsync(() => world.Clock.Elapsed >= next, FromMinutes(1), FromSeconds(1));
            }

            if (round % 2 == 1)
            {
                await world.RestartAsync(ObservedWorld.AddressNumber(round / 2 % 2));
            }

            world.Network.Conditions = NetworkConditions.Delayed(FromMilliseconds(50));
            TimeSpan healed = world.Clock.Elapsed;
            try
            {
                await world.Clock.AdvanceUntilAsync(() => world.IsConsistent, FromMinutes(15));
            }
            catch (TimeoutException exception)
            {
                Assert.Fail($"Round {round} of seed {seed}: {world.Describe()} {exception.Message}");
            }

            slowest = world.Clock.Elapsed - healed > slowest ? world.Clock.Elapsed - healed : slowest;
            world.AssertNothingWrong();
        }

        output.WriteLine($"{Rounds} rounds, {world.Watchers.Sum(watcher => watcher.Calls)} whole ones, slowest {slowest}, "
            + $"{world.Counted(CoapCounter.RequestsReceived)} requests, {world.Counted(CoapCounter.AmplificationRefused)} refused as "
            + "amplification");

        // What fetches the rest of a body goes on on threads until it is told to stop.
        foreach (Watcher watcher in world.Watchers)
        {
            await watcher.DisposeAsync();
        }

        TimeSpan settled = world.Clock.Elapsed + FromMinutes(1);
        await world.Clock.AdvanceUntilAsync(() => world.Clock.Elapsed >= settled, FromMinutes(2));
        await world.EndAsync();
    }
}
