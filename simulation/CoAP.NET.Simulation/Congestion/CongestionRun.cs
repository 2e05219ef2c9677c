namespace CoAP.NET.Simulation.Congestion;

/// <summary>One run of a scenario. The same scenario, timing and seed give the same result.</summary>
public static class CongestionRun
{
    private static readonly CoapAddress s_server = InMemoryNetwork.Address("192.0.2.1:5683");

    /// <summary>Runs a scenario.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="timing">How messages of the clients wait.</param>
    /// <param name="seed">All chance.</param>
    /// <returns>What came of it.</returns>
    public static async Task<CongestionResult> RunAsync(CongestionScenario scenario, CoapRetransmissionAlgorithm timing, int seed)
    {
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock, new InMemoryNetworkOptions { Seed = (ulong)seed, MaxTraceLength = int.MaxValue });
        network.SetConditions(default, s_server, scenario.Conditions());
        network.SetConditions(s_server, default, scenario.Conditions());
        CoapEndpointOptions Options(int number) => new()
        {
            TimeProvider = clock,
            Pipeline = { Random = new VirtualRandom(((ulong)seed << 16) + (ulong)number) },
            Parameters = new CoapTransmissionParameters { RetransmissionTiming = timing },
        };

        await using CoapServer server = new(Options(0));
        server.Endpoint.AddTransport(network.CreateTransport(s_server));
        byte[] payload = new byte[scenario.PayloadLength];
        server.MapGet("/r", () => CoapResults.Content(CoapContent.Binary(payload)));
        await server.StartAsync();
        List<SimulatedClient> clients = [];
        for (int i = 0; i < scenario.Clients; i++)
        {
            CoapAddress address = s_server with { Low = s_server.Low + 10 + (ulong)i, Port = 40_000 };
            SimulatedClient client = new(network, address, s_server, Options(1 + i), clock, scenario.Requests);
            await client.StartAsync();
            clients.Add(client);
        }

        Drive(scenario, clock, network, clients);
        CongestionResult result = Judge(clients, network);
        foreach (SimulatedClient client in clients)
        {
            await client.DisposeAsync();
        }

        return result;
    }

    private static void Drive(CongestionScenario scenario, VirtualClock clock, InMemoryNetwork network, List<SimulatedClient> clients)
    {
        Queue<(TimeSpan At, NetworkConditions Conditions)> changes = new(scenario.Changes);
        clients.ForEach(client => client.Look());
        while (clients.Exists(client => !client.IsDone) && clock.NextDue is { } next && next <= scenario.Duration)
        {
            if (changes.TryPeek(out (TimeSpan At, NetworkConditions Conditions) change) && change.At <= next)
            {
                changes.Dequeue();
                clock.AdvanceTo(change.At);
                network.SetConditions(default, s_server, change.Conditions);
                network.SetConditions(s_server, default, change.Conditions);
            }
            else
            {
                clock.AdvanceTo(next);
            }

            clients.ForEach(client => client.Look());
        }
    }

    private static CongestionResult Judge(List<SimulatedClient> clients, InMemoryNetwork network)
    {
        SpuriousCopies copies = SpuriousCopies.Count(network.Trace, s_server);
        List<TimeSpan> times = [.. clients.SelectMany(client => client.Times).Order()];
        return new CongestionResult(
            times.Count,
            clients.Sum(client => client.Failed),
            clients.Average(client => client.DoneAt > TimeSpan.Zero ? client.Times.Count / client.DoneAt.TotalSeconds : 0),
            copies.Copies,
            copies.Spurious,
            times.Count > 0 ? times[times.Count * 95 / 100] : TimeSpan.Zero);
    }
}

/// <summary>What came of a run.</summary>
/// <param name="Answered">Requests that were answered.</param>
/// <param name="Failed">Requests that were given up.</param>
/// <param name="Goodput">Requests answered in a second, of one client on average.</param>
/// <param name="Copies">Retransmissions.</param>
/// <param name="Spurious">Retransmissions of messages whose answer was on its way: an earlier copy had arrived or was to arrive, and so did
/// its answer.</param>
/// <param name="Slow">The time that one request in twenty took longer than, answered ones only.</param>
public sealed record CongestionResult(int Answered, int Failed, double Goodput, int Copies, int Spurious, TimeSpan Slow)
{
    /// <summary>Spurious retransmissions for each hundred requests.</summary>
    public double SpuriousShare => 100.0 * Spurious / Math.Max(1, Answered + Failed);

    /// <summary>Given up of each hundred requests.</summary>
    public double FailedShare => 100.0 * Failed / Math.Max(1, Answered + Failed);
}
