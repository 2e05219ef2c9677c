using CoAP.NET.Testing;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>
/// CFG_LOSSY of the plugtests, for all of them: whatever is lost, the result is right or a time-out, and nothing is done twice.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LossyPlugtestTests
{
    public static TheoryData<string> Names => [.. PlugtestScenarios.All.Select(static scenario => scenario.Name)];

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Names))]
    [Rfc("7252-4.5-1", "7252-4.5-2", "7252-4.5-4")]
    public async Task A_plugtest_succeeds_whichever_datagram_or_pair_of_datagrams_is_lost(string name)
    {
        PlugtestScenario scenario = Find(name);
        PlugtestRun clean = await PlugtestRun.RunAsync(scenario, isExact: true);
        Assert.False(clean.TimedOut);
        Assert.Equal(clean.UnsafeRequests, clean.UnsafeExecuted);
        Assert.InRange(clean.Executed, clean.Requests, scenario.MayRunAgain ? long.MaxValue : clean.Requests);
        for (int first = 1; first <= clean.Datagrams; first++)
        {
            await JudgeAsync(scenario, clean, $"without {first}", network => network.DropNth(first));
        }

        // The second one may be one that is sent because the first one was lost.
        List<(int First, int Second)> pairs =
        [
            .. from first in Enumerable.Range(1, clean.Datagrams)
               from second in Enumerable.Range(first + 1, clean.Datagrams + 2 - first)
               select (first, second),
        ];
        int every = scenario.IsLong ? Math.Max(1, pairs.Count / Campaign.Rounds(10)) : 1;
        for (int i = Campaign.Seed % every; i < pairs.Count; i += every)
        {
            (int first, int second) = pairs[i];
            await JudgeAsync(scenario, clean, $"without {first} and {second}", network =>
            {
                network.DropNth(first);
                network.DropNth(second);
            });
        }
    }

    [Theory]
    [Trait("Category", "Campaign")]
    [MemberData(nameof(Names))]
    [Rfc("7252-4.5-1")]
    public async Task A_plugtest_succeeds_on_a_network_that_loses_a_fifth_of_all_datagrams(string name)
    {
        PlugtestScenario scenario = Find(name);
        PlugtestRun clean = await PlugtestRun.RunAsync(scenario, isExact: true);
        for (int i = 0; i < Campaign.Rounds(scenario.IsLong ? 2 : 10); i++)
        {
            await JudgeAsync(scenario, clean, $"seed {Campaign.Seed + i}", null, Campaign.Seed + i, 0.2);
        }
    }

    private static async Task JudgeAsync(PlugtestScenario scenario, PlugtestRun clean, string faults, Action<InMemoryNetwork>? drop,
        int seed = 1, double loss = 0)
    {
        PlugtestRun run;
        try
        {
            run = await PlugtestRun.RunAsync(scenario, seed, loss, drop);
        }
        catch (Exception exception)
        {
            throw new InvalidOperationException($"{scenario.Name}, {faults}: {exception.Message}", exception);
        }

        string[] expected = [.. clean.Answers.Take(run.Answers.Count)];
        bool isPrefix = run.Answers.SequenceEqual(expected);

        // Of several at once each may be the one that timed out.
        bool isRight = isPrefix || (run.TimedOut && run.Answers.All(clean.Answers.Contains));
        Assert.True(isRight, $"{scenario.Name}, {faults}: {string.Join(" | ", run.Answers)} in place of {string.Join(" | ", expected)}");
        Assert.True(run.TimedOut || run.Answers.Count == clean.Answers.Count, $"{scenario.Name}, {faults}: not all were answered");
        Assert.True(run.UnsafeExecuted <= run.UnsafeRequests,
            $"{scenario.Name}, {faults}: {run.UnsafeExecuted} executions of {run.UnsafeRequests} requests that change something");
        Assert.True(scenario.MayRunAgain || run.Executed <= run.Requests,
            $"{scenario.Name}, {faults}: {run.Executed} executions of {run.Requests} requests");
    }

    private static PlugtestScenario Find(string name) => PlugtestScenarios.All.Single(scenario => scenario.Name == name);
}
