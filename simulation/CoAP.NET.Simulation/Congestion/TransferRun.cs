using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;

namespace CoAP.NET.Simulation.Congestion;

/// <summary>One run of a scenario. The same scenario, way and seed give the same result.</summary>
public static class TransferRun
{
    private static readonly CoapAddress s_server = InMemoryNetwork.Address("192.0.2.1:5683");
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(2);

    /// <summary>Runs a scenario.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="way">How the bodies travel.</param>
    /// <param name="seed">All chance.</param>
    /// <returns>What came of it.</returns>
    public static async Task<TransferResult> RunAsync(TransferScenario scenario, TransferWay way, int seed)
    {
        // Leaves the synchronization context of a test. With one, code after an awaited response runs on threads without the clock.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        VirtualClock clock = new();
        bool isTraced = scenario.Clients > 1;
        InMemoryNetwork network = new(clock, new InMemoryNetworkOptions
        {
            Seed = (ulong)seed, MaxTraceLength = isTraced ? int.MaxValue : 1,
        });
        network.SetConditions(default, s_server, scenario.Conditions());
        network.SetConditions(s_server, default, scenario.Conditions());
        CoapEndpointOptions Options(int number) => new CoapEndpointOptions
        {
            TimeProvider = clock,
            Pipeline = { Scheduler = new VirtualScheduler(clock), Random = new VirtualRandom(((ulong)seed << 16) + (ulong)number) },
            Parameters = new CoapTransmissionParameters { RetransmissionTiming = way.Timing },
        }.UseQBlock(way.QBlock);

        byte[] body = new byte[scenario.Length];
        new VirtualRandom((ulong)seed).Fill(body);
        await using CoapServer server = new(Options(0));
        server.Endpoint.AddTransport(network.CreateTransport(s_server));
        server.MapGet("/body", () => CoapResults.Content(CoapContent.Binary(body)));
        int stored = 0;
        server.MapPut("/body", request =>
        {
            stored += request.Payload.Span.SequenceEqual(body) ? 1 : 0;
            return CoapResults.Changed();
        }).WithMaxBodySize(scenario.Length);
        await server.StartAsync();
        List<CoapClient> clients = [];
        for (int i = 0; i < scenario.Clients; i++)
        {
            CoapClient client = new(Options(1 + i));
            client.Endpoint.AddTransport(
                network.CreateTransport(s_server with { Low = s_server.Low + 10 + (ulong)i, Port = 40_000 }));
            await client.Endpoint.StartAsync();
            clients.Add(client);
        }

        Task<bool>[] transfers = [.. clients.Select(client => TransferAsync(client, scenario, way, body))];
        while (!Array.TrueForAll(transfers, one => one.IsCompleted) && clock.NextDue is { } next && next <= s_longest)
        {
            clock.AdvanceTo(next);
        }

        TransferResult result = Judge(
            scenario, way, transfers, stored, clock.Elapsed, network, [server.Endpoint, .. clients.Select(one => one.Endpoint)]);
        foreach (CoapClient client in clients)
        {
            await client.DisposeAsync();
        }

        return result;
    }

    private static TransferResult Judge(TransferScenario scenario, TransferWay way, Task<bool>[] transfers, int stored, TimeSpan time,
        InMemoryNetwork network, CoapEndpoint[] endpoints)
    {
        int complete = transfers.Count(one => one.IsCompletedSuccessfully && one.Result);
        return new TransferResult(
            scenario.IsUpload ? Math.Min(complete, stored) : complete,
            transfers.Length - complete,
            time,
            endpoints.Sum(one => one.Counters[CoapCounter.DatagramsSent]),
            endpoints.Sum(one => one.Counters[CoapCounter.Retransmissions]),
            scenario.Clients > 1 && way.QBlock == CoapQBlockPolicy.Off ? SpuriousCopies.Count(network.Trace, s_server).Spurious : 0);
    }

    private static async Task<bool> TransferAsync(CoapClient client, TransferScenario scenario, TransferWay way, byte[] body)
    {
        CoapRequest request = new(scenario.IsUpload ? CoapMethod.Put : CoapMethod.Get, "coap://192.0.2.1/body")
        {
            // Only Non-confirmable requests use Q-Block.
            Confirmable = way.QBlock == CoapQBlockPolicy.Off,
        };
        request.Content = scenario.IsUpload ? CoapContent.Binary(body) : request.Content;
        try
        {
            CoapResponse response = await client.SendAsync(request);
            return response.IsSuccess && (scenario.IsUpload || response.Payload.Span.SequenceEqual(body));
        }
        catch (CoapException)
        {
            return false;
        }
    }
}

/// <summary>What came of a run.</summary>
/// <param name="Complete">Bodies that arrived whole.</param>
/// <param name="Failed">Bodies that did not.</param>
/// <param name="Time">The time until the last client was done.</param>
/// <param name="Datagrams">The datagrams that all endpoints sent.</param>
/// <param name="Copies">The retransmissions among them.</param>
/// <param name="Spurious">Copies of requests whose answer was on its way and arrived.</param>
public sealed record TransferResult(int Complete, int Failed, TimeSpan Time, long Datagrams, long Copies, long Spurious);
