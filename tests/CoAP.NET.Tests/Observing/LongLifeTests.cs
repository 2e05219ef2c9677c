using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Observing;

/// <summary>An observation that survives a month of what happens to devices: loss, restarts, outages, other addresses.</summary>
public sealed class LongLifeTests
{
    private const int Hours = 30 * 24;

    private static readonly CoapAddress[] s_addresses = [InMemoryNetwork.Address("192.0.2.1:5683"),
        InMemoryNetwork.Address("192.0.2.7:5683"), InMemoryNetwork.Address("192.0.2.8:5683")];

    [Theory]
    [Trait("Category", "Campaign")]
    [Rfc("7641-3.3.1-3", "7641-3.4-1")]
    [InlineData(0)]
    [InlineData(1)]
    public async Task An_observer_gets_the_last_state_after_each_fault_of_thirty_days(int run)
    {
        int seed = EndpointCampaign.Seed + run;
        Random random = new(seed);
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock, new InMemoryNetworkOptions
        {
            Seed = (ulong)seed,
            MaxTraceLength = 0,
            Conditions = new NetworkConditions
            {
                Loss = 0.2,
                Duplication = 0.05,
                Reordering = 0.1,
                ReorderingWindow = FromSeconds(5),
                MaxDelay = FromSeconds(1)
            },
        });
        using ObservableDevice device = new(network, s_addresses[0], maxAge: 300);
        await using CoapClient client = new(new CoapEndpointOptions
        {
            TimeProvider = clock,
            Pipeline = { Random = new VirtualRandom((ulong)seed) },
            Transports = { ResolveHost = (_, _) => Task.FromResult(new[] { device.Address.ToIPAddress() }) },
        });
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));
        int calls = 0;
        Task<CoapObservation> registering = client.ObserveAsync("coap://device.example/obs", _ => calls++);
        clock.Advance(FromMinutes(10));
        CoapObservation observation = await registering.WaitAsync(FromMinutes(2));
        int reached = 0;
        int restarts = 0;
        int moves = 0;
        int outages = 0;
        for (int hour = 0; hour < Hours; hour++)
        {
            TimeSpan end = clock.Elapsed + FromHours(1);
            switch (random.Next(10))
            {
                case 0:
                    device.Restart();
                    restarts++;
                    break;
                case 1:
                    device.Move(s_addresses[(++moves) % s_addresses.Length]);
                    break;
                case 2:
                    device.IsUp = false;
                    outages++;
                    break;
                default:
                    break;
            }

            for (int change = random.Next(4); change >= 0; change--)
            {
                clock.Advance(FromSeconds(random.Next(300)));
                device.Change(random.Next(2) == 0);
            }

            device.IsUp = true;
            clock.AdvanceTo(end);
            observation.Latest!.Says($"{device.Value}");
            reached++;
        }

        Assert.Equal(Hours, reached);
        Assert.True(restarts > 40 && moves > 40 && outages > 40, $"{restarts} restarts, {moves} moves, {outages} outages");

        // Every 5 minutes one registration, and not many more: no storm.
        Assert.InRange(device.Registrations, Hours, Hours * 20);
        Assert.True(calls > Hours);
        await observation.DisposeAsync();
        clock.Advance(FromMinutes(10));
        CoapEndpoint endpoint = client.Endpoint;
        Assert.Equal(0, device.Observers);
        Assert.Equal(0, endpoint.Observed.Count);
        Assert.Equal(0, endpoint.Counters[CoapCounter.StageErrors]);
        Assert.Equal(
            0, endpoint.Pipelines[0].Channels.All().Sum(static channel => channel.Pins + ExchangeLayer.MultiResponseTokenCountOf(channel)));
        Assert.Equal(0, endpoint.Pipelines[0].Messages.Outstanding);
        Assert.Equal(0, endpoint.Pipelines[0].Messages.Waiting);
    }
}
