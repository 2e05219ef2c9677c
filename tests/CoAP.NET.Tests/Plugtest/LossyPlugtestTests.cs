using CoAP.NET.Testing;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>CFG_LOSSY of the plugtests, for all of them: whatever is lost, the result is right or a time-out, and nothing is done twice.</summary>
public sealed class LossyPlugtestTests
{
    public static TheoryData<string> Names => [.. PlugtestScenarios.All.Select(static scenario => scenario.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    [Rfc("7252-4.5-1", "7252-4.5-2", "7252-4.5-4")]
    public async Task Each_datagram_and_each_pair_of_datagrams_may_be_lost(string name)
    {
        PlugtestScenario scenario = Find(name);
        PlugtestRun clean = await PlugtestRun.RunAsync(scenario);
        Assert.False(clean.TimedOut);
        Assert.Equal(clean.Requests, clean.Executed);
        for (int first = 1; first <= clean.Datagrams; first++)
        {
            Judge(scenario, clean, await PlugtestRun.RunAsync(scenario, faults: network => network.DropNth(first)), $"without {first}");

            // The second one may be one that is sent because the first one was lost.
            for (int second = first + 1; second <= clean.Datagrams + 2; second++)
            {
                void Drop(InMemoryNetwork network)
                {
                    network.DropNth(first);
                    network.DropNth(second);
                }

                Judge(scenario, clean, await PlugtestRun.RunAsync(scenario, faults: Drop), $"without {first} and {second}");
            }
        }
    }

    [Theory]
    [MemberData(nameof(Names))]
    [Rfc("7252-4.5-1")]
    public async Task A_fifth_of_all_datagrams_may_be_lost(string name)
    {
        PlugtestScenario scenario = Find(name);
        PlugtestRun clean = await PlugtestRun.RunAsync(scenario);
        for (int i = 0; i < Campaign.Rounds(10); i++)
        {
            Judge(scenario, clean, await PlugtestRun.RunAsync(scenario, Campaign.Seed + i, 0.2), $"seed {Campaign.Seed + i}");
        }
    }

    private static void Judge(PlugtestScenario scenario, PlugtestRun clean, PlugtestRun run, string faults)
    {
        string[] expected = [.. clean.Answers.Take(run.Answers.Count)];
        bool isPrefix = run.Answers.SequenceEqual(expected);

        // Of several at once each may be the one that timed out.
        bool isRight = isPrefix || (run.TimedOut && run.Answers.All(clean.Answers.Contains));
        Assert.True(isRight, $"{scenario.Name}, {faults}: {string.Join(" | ", run.Answers)} in place of {string.Join(" | ", expected)}");
        Assert.True(run.TimedOut || run.Answers.Count == clean.Answers.Count, $"{scenario.Name}, {faults}: not all were answered");
        Assert.True(scenario.MayRunAgain || run.Executed <= run.Requests, $"{scenario.Name}, {faults}: {run.Executed} executions of {run.Requests} requests");
    }

    private static PlugtestScenario Find(string name) => PlugtestScenarios.All.Single(scenario => scenario.Name == name);
}
