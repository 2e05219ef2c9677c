using CoAP.NET.Diagnostics;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A client and a server over networks that lose, double, delay and overtake.</summary>
public sealed class LossyNetworkTests
{
    private const int Requests = 20;

    private static readonly NetworkConditions s_bad = new()
    {
        Loss = 0.25,
        Duplication = 0.25,
        Reordering = 0.3,
        ReorderingWindow = FromSeconds(3),
        MaxDelay = FromSeconds(3),
    };

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7252-4.5-1")]
    public async Task Each_request_runs_at_most_once_and_ends_with_its_own_response_or_an_exception()
    {
        int answered = 0;
        for (int i = 0; i < EndpointCampaign.Networks; i++)
        {
            answered += (await RunAsync(EndpointCampaign.Seed + i)).Answered;
        }

        // Far from all are lost: four retransmissions get through a network like this one nearly always.
        Assert.True(answered > EndpointCampaign.Networks * Requests / 2, $"{answered} answers");
    }

    [Fact]
    [Trait("Category", "Campaign")]
    public async Task The_same_seed_gives_the_same_trace_of_a_client_and_a_server()
    {
        string first = (await RunAsync(EndpointCampaign.Seed)).Trace;
        Assert.Equal(first, (await RunAsync(EndpointCampaign.Seed)).Trace);
        Assert.NotEqual(first, (await RunAsync(EndpointCampaign.Seed + 1)).Trace);
    }

    [Fact]
    public async Task A_forged_datagram_does_not_make_two_servers_answer_each_other_endlessly()
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock,
            new InMemoryNetworkOptions { Conditions = NetworkConditions.Delayed(FromMilliseconds(10)) });
        CoapAddress first = InMemoryNetwork.Address("192.0.2.1:5683");
        CoapAddress second = InMemoryNetwork.Address("192.0.2.3:5683");
        await using CoapServer one = new(Options(clock, 1));
        await using CoapServer other = new(Options(clock, 2));
        one.Endpoint.AddTransport(network.CreateTransport(first));
        await one.StartAsync();
        string longToken = "34" + string.Concat(Enumerable.Repeat("ab", 65));
        string[] forged = [$"5d010001{longToken}", $"4d010002{longToken}", $"5d450003{longToken}", "50010004", "40010005", "40000006",
            "50450007", "40450008", "4d450009" + longToken];
        using (ScriptedPeer forger = network.CreatePeer(second))
        {
            foreach (string datagram in forged)
            {
                forger.SendTo(first, datagram);
            }
        }

        // From here on the forged address is a server's, which gets the answers.
        other.Endpoint.AddTransport(network.CreateTransport(second));
        await other.StartAsync();
        clock.Advance(FromMinutes(5));
        Assert.Equal(0, network.InFlightCount);
        Assert.InRange(network.Trace.Count(static item => item.Kind == NetworkEventKind.Sent), forged.Length, 3 * forged.Length);
    }

    private static async Task<(int Answered, string Trace)> RunAsync(int seed)
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock, new InMemoryNetworkOptions { Seed = (ulong)seed, Conditions = s_bad });
        Random random = new(seed);
        int[] runs = new int[Requests];
        CoapResult Answer(CoapRequestContext request) => CoapResults.Text(request.Route["id"]!);
        async Task<CoapResult> AnswerLateAsync(CoapRequestContext request)
        {
            await Task.Delay(FromSeconds(1 + (9 * random.NextDouble())), clock).ConfigureAwait(false);
            return Answer(request);
        }

        await using CoapServer server = new(Options(clock, seed));
        server.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.1:5683")));
        server.MapGet("/read/{id}", Answer);
        server.MapPost("/count/{id}", request =>
        {
            runs[int.Parse(request.Route["id"]!, System.Globalization.CultureInfo.InvariantCulture)]++;
            return Answer(request);
        });
        server.MapPost("/slow/{id}", (CoapRequestContext request, CancellationToken _) =>
        {
            runs[int.Parse(request.Route["id"]!, System.Globalization.CultureInfo.InvariantCulture)]++;
            return AnswerLateAsync(request);
        });
        await server.StartAsync();
        await using CoapClient client = new(Options(clock, -seed));
        client.Endpoint.AddTransport(network.CreateTransport(InMemoryNetwork.Address("192.0.2.2:40000")));

        // Without a context the continuations of handlers run on the thread that advances the clock: every run is the same.
        SynchronizationContext.SetSynchronizationContext(null);
        Task<CoapResponse>[] requests = new Task<CoapResponse>[Requests];
        for (int i = 0; i < Requests; i++)
        {
            CoapMethod method = i % 3 == 0 ? CoapMethod.Get : CoapMethod.Post;
            string path = (i % 3) switch { 0 => "read", 1 => "count", _ => "slow" };
            requests[i] = client.SendAsync(new CoapRequest(method, $"coap://192.0.2.1/{path}/{i}") { Confirmable = random.Next(5) > 0 });
            clock.Advance(FromMilliseconds(random.Next(8000)));
        }

        clock.Advance(FromMinutes(30));
        int answered = 0;
        for (int i = 0; i < Requests; i++)
        {
            try
            {
                // Time has passed; only threads may still be on their way from the response to here.
                CoapResponse response = await requests[i].WaitAsync(FromMinutes(2));
                Assert.Equal((CoapCode.Content, $"{i}"), (response.Code, response.GetText()));
                answered++;
            }
            catch (CoapTimeoutException)
            {
            }
        }

        Assert.All(runs, count => Assert.InRange(count, 0, 1));
        Assert.Equal(0, network.InFlightCount);
        foreach (CoapEndpoint endpoint in new[] { server.Endpoint, client.Endpoint })
        {
            Assert.Equal(0, endpoint.Counters[CoapCounter.StageErrors]);
            Assert.Equal(0, endpoint.Served.Count);
            Assert.Equal(0, endpoint.Pipelines[0].Messages.Outstanding);
            Assert.Equal(0, endpoint.Pipelines[0].Messages.Waiting);
            Assert.Equal(0, endpoint.Pipelines[0].Messages.Memory.Running);
        }

        return (answered, network.ToString());
    }

    private static CoapEndpointOptions Options(VirtualClock clock, int seed) =>
        new() { TimeProvider = clock, Pipeline = { Random = new VirtualRandom((ulong)seed) } };
}
