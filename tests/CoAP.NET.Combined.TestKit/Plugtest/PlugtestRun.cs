using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>What came of a scenario on a network that does what the test says.</summary>
/// <param name="Answers">What came back, in the order of the requests, up to the first that failed; and what the scenario found
/// besides.</param>
/// <param name="TimedOut">Whether a request ended by a time-out, the only way in which one may fail.</param>
/// <param name="Requests">How many requests were made.</param>
/// <param name="Executed">How many times the server handed a request to a resource.</param>
/// <param name="UnsafeRequests">How many requests were made that change something.</param>
/// <param name="UnsafeExecuted">How many times the server handed one of those to a resource.</param>
/// <param name="Datagrams">How many datagrams were sent.</param>
public sealed record PlugtestRun(
    IReadOnlyList<string> Answers, bool TimedOut, int Requests, long Executed, int UnsafeRequests, long UnsafeExecuted, int Datagrams)
{
    /// <summary>Runs a scenario.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="seed">The chance of network and hosts.</param>
    /// <param name="loss">How many datagrams are lost by chance.</param>
    /// <param name="faults">What else happens.</param>
    /// <param name="path">What stands between client and server; null for nothing. With it all run on threads.</param>
    /// <param name="isExact">Whether the client does so without it, too. No time passes while any thread is at work.</param>
    public static async Task<PlugtestRun> RunAsync(PlugtestScenario scenario, int seed = 1, double loss = 0,
        Action<InMemoryNetwork>? faults = null, PlugtestPath? path = null, bool isExact = false)
    {
        // Handlers and clients that await go on on the thread that advances the clock.
        SynchronizationContext.SetSynchronizationContext(null);
        await using PlugtestBench bench = await PlugtestBench.CreateAsync(seed, loss, isExact || path is not null, path);
        faults?.Invoke(bench.Network);
        bool timedOut = false;
        try
        {
            await scenario.PlayAsync(bench);
        }
        catch (CoapTimeoutException)
        {
            timedOut = true;
        }

        int datagrams = bench.Datagrams;
        bench.Clock.Advance(FromMinutes(10));
        Assert.Equal(0, bench.StageErrors);
        return new PlugtestRun(
            [.. bench.Responses.Select(Describe), .. bench.Findings],
            timedOut,
            bench.Requests,
            bench.Executed,
            bench.UnsafeRequests,
            bench.UnsafeExecuted,
            datagrams);
    }

    // An Echo value tells of the time and not of the resource.
    private static string Describe(CoapResponse response) =>
        $"{response.Code} {string.Join(", ", response.Options.Where(static option => option is not EchoOption))}: {response.GetText()}";
}
