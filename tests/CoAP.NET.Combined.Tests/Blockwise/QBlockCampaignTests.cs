using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>
/// A client and a server with Q-Block over networks that lose, double and overtake: COAP_TEST_QBLOCKS of them (default 3), by
/// COAP_TEST_SEED.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class QBlockCampaignTests
{
    [Fact]
    [Trait("Category", "Campaign")]
    public async Task Q_Block_bodies_arrive_complete_or_not_at_all_under_faults_and_leave_no_state_behind()
    {
        int seed = CampaignSetting.Of("COAP_TEST_SEED", 9177);
        int count = CampaignSetting.Of("COAP_TEST_QBLOCKS", 3);
        int right = 0;
        for (int i = 0; i < count; i++)
        {
            right += await RunAsync(seed + i);
        }

        Assert.InRange(right, count, 2 * count);
    }

    private static async Task<int> RunAsync(int seed)
    {
        VirtualClock clock = new();
        Random random = new(seed);
        InMemoryNetwork network = new(clock, new InMemoryNetworkOptions
        {
            Seed = (ulong)seed,
            Conditions = new NetworkConditions
            {
                Loss = 0.3 * random.NextDouble(),
                Duplication = 0.1,
                Reordering = 0.1,
                ReorderingWindow = FromMilliseconds(200),
                MaxDelay = FromMilliseconds(100)
            },
        });
        byte[] down = new byte[1 + random.Next(8000)];
        byte[] up = new byte[200 + random.Next(8000)];
        random.NextBytes(down);
        random.NextBytes(up);
        List<byte[]> stored = [];
        await using CoapServer server = new(Options(clock, seed));
        server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683")));
        server.MapGet("/body", () => CoapResults.Bytes(down));
        server.MapPost("/body", request =>
        {
            stored.Add(request.Payload.ToArray());
            return CoapResults.Bytes(down);
        });
        await server.StartAsync();
        await using CoapClient client = new(Options(clock, -seed));
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));
        int right = 0;
        foreach (CoapRequest request in new[]
        {
            new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/body") { Confirmable = false },
            new CoapRequest(CoapMethod.Post, "coap://192.0.2.1/body") { Confirmable = false, Content = CoapContent.Binary(up) },
        })
        {
            try
            {
                CoapResponse response = await clock.AdvanceUntilAsync(client.SendAsync(request), FromHours(1));
                response.Gives(CoapCode.Content);
                Assert.Equal(down, response.Payload.ToArray());
                right++;
            }
            catch (CoapTimeoutException)
            {
            }
        }

        Assert.InRange(stored.Count, 0, 1);
        Assert.All(stored, body => Assert.Equal(up, body));
        clock.Advance(FromMinutes(15));
        Assert.Equal(0, network.InFlightCount);
        foreach (CoapEndpoint endpoint in new[] { server.Endpoint, client.Endpoint })
        {
            Assert.Equal(0, endpoint.Counters[CoapCounter.StageErrors]);
            Assert.Equal((0, 0, 0),
                (endpoint.Pipelines[0].Blockwise.Requests.Count, endpoint.Pipelines[0].Blockwise.Responses.Count,
                    endpoint.Pipelines[0].Messages.Outstanding));
            Assert.Equal((0L, 0L), (endpoint.Bodies.Requests.Used, endpoint.Bodies.Responses.Used));
            Assert.All(endpoint.Pipelines[0].Channels.All(),
                channel => Assert.Equal((0, 0), (channel.Pins, CoAP.NET.Exchanges.ExchangeLayer.MultiResponseTokenCountOf(channel))));
        }

        return right;
    }

    private static CoapEndpointOptions Options(VirtualClock clock, int seed)
    {
        CoapEndpointOptions options = new()
        {
            TimeProvider = clock,
            Pipeline = { Random = new VirtualRandom((ulong)seed) },
            Parameters = CoapTransmissionParameters.Default with { PreferredBlockSize = 64 },
        };
        options.UseQBlock(CoapQBlockPolicy.AllowUnsecured);
        options.Limits.Peers.TrustedPrefixes.Add(System.Net.IPNetwork.Parse("192.0.2.0/24"));
        return options;
    }
}
