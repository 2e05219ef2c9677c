using CoAP.NET.Testing;
using CoAP.NET.Transports;
using Server;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>Our client against our server with the resources of samples/Server, over a network that does what the test says.</summary>
/// <param name="Answers">What came back, in the order of the requests; up to the first that failed.</param>
/// <param name="TimedOut">Whether a request ended by a time-out, the only way in which one may fail.</param>
/// <param name="Requests">How many requests were made.</param>
/// <param name="Executed">How many times the server handed a request to a resource.</param>
/// <param name="Datagrams">How many datagrams were sent.</param>
public sealed record PlugtestRun(IReadOnlyList<string> Answers, bool TimedOut, int Requests, long Executed, int Datagrams)
{
    private static readonly CoapAddress s_server = InMemoryNetwork.Address("192.0.2.1:5683");
    private static readonly CoapAddress s_client = InMemoryNetwork.Address("192.0.2.2:40000");

    /// <summary>Runs a scenario.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="seed">The chance of network and hosts.</param>
    /// <param name="loss">How many datagrams are lost by chance.</param>
    /// <param name="faults">What else happens.</param>
    public static async Task<PlugtestRun> RunAsync(PlugtestScenario scenario, int seed = 1, double loss = 0, Action<InMemoryNetwork>? faults = null)
    {
        // Handlers that await go on on the thread that advances the clock.
        SynchronizationContext.SetSynchronizationContext(null);
        VirtualClock clock = new();
        InMemoryNetwork network = new(clock, new InMemoryNetworkOptions
        {
            Seed = (ulong)seed,
            Conditions = NetworkConditions.Delayed(TimeSpan.FromMilliseconds(20)) with { Loss = loss },
        });
        CoapEndpointOptions Options(int host) => new() { TimeProvider = clock, Random = new VirtualRandom((ulong)((seed * 2) + host)) };
        await using CoapServer server = new(Options(0));
        server.Endpoint.AddTransport(network.CreateTransport(s_server));
        PlugtestResources.MapTo(server, clock);
        await server.StartAsync();
        await using CoapClient client = new(Options(1));
        client.Endpoint.AddTransport(network.CreateTransport(s_client));
        await client.Endpoint.StartAsync();
        faults?.Invoke(network);

        List<CoapResponse> responses = [];
        bool timedOut = false;
        int requests = 0;
        foreach (Func<IReadOnlyList<CoapResponse>, CoapRequest[]> step in scenario.Steps)
        {
            Task<CoapResponse>[] tasks = [.. step(responses).Select(request => client.SendAsync(request))];
            requests += tasks.Length;
            TimeSpan limit = clock.Elapsed + TimeSpan.FromMinutes(10);
            while (!Array.TrueForAll(tasks, static task => task.IsCompleted) && clock.NextDue is { } next && next <= limit)
            {
                clock.AdvanceTo(next);
            }

            foreach (Task<CoapResponse> task in tasks)
            {
                try
                {
                    // Time has passed; only threads may still be on their way from the response to here.
                    responses.Add(await task.WaitAsync(TimeSpan.FromSeconds(30)));
                }
                catch (CoapTimeoutException)
                {
                    timedOut = true;
                }
            }

            if (timedOut)
            {
                break;
            }
        }

        clock.Advance(TimeSpan.FromMinutes(10));
        Assert.Equal(0, server.Counters[CoapCounter.StageErrors] + client.Endpoint.Counters[CoapCounter.StageErrors]);
        return new PlugtestRun(
            [.. responses.Select(Describe)],
            timedOut,
            requests,
            server.Counters[CoapCounter.RequestsReceived],
            network.Trace.Count(static happened => happened.Kind == NetworkEventKind.Sent));
    }

    private static string Describe(CoapResponse response) => $"{response.Code} {string.Join(", ", response.Options)}: {response.GetText()}";
}
