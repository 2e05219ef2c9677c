using CoAP.NET.Testing;
using RoomClient = global::Hosting.RoomClient;

namespace CoAP.NET.Hosting.Tests.Applications;

[Collection(VirtualTimeCollection.Name)]
public sealed class VirtualTimeTests
{
    [Fact]
    public async Task What_an_application_waits_for_passes_at_once_in_virtual_time()
    {
        VirtualClock clock = new();
        await using CoapApplicationFactory<RoomClient> application = new() { TimeProvider = clock };
        CoapClient client = application.CreateClient();
        await application.StartAsync();

        // The worker of the application heats the room, which takes two seconds.
        await clock.AdvanceUntilAsync(ReadAsync("21.5", client, application.Address, clock), TimeSpan.FromMinutes(1));

        Assert.InRange(clock.Elapsed, TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(30));
    }

    [Fact]
    public async Task A_pair_of_endpoints_exchanges_messages_over_a_network_that_loses_most_of_them()
    {
        await using CoapEndpointPair pair = new(network: new InMemoryNetworkOptions { Seed = 3, Conditions = new() { Loss = 0.25 } });
        pair.Server.MapGet("/temperature", () => "21.5");
        await pair.StartAsync();

        for (int i = 0; i < 20; i++)
        {
            CoapResponse response = await pair.RunAsync(() => pair.Client.GetAsync(CoapEndpointPair.Address + "/temperature"));
            Assert.Equal("21.5", response.GetText());
        }

        Assert.True(pair.Client.Endpoint.Counters[CoapCounter.Retransmissions] > 0);
    }

    private static async Task ReadAsync(string expected, CoapClient client, string address, VirtualClock clock)
    {
        while ((await client.GetAsync(address + "/temperature").ConfigureAwait(false)).GetText() != expected)
        {
            await Task.Delay(TimeSpan.FromSeconds(1), clock).ConfigureAwait(false);
        }
    }
}
