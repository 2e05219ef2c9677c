using CoAP.NET.Simulation.Simulate.Proxies;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>Clients and servers with proxies between them, on a bad network, with restarts and partitions of all of them.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ProxyRunTests(ITestOutputHelper output)
{
    private const int Steps = 25;

    // A run with several proxies, and one with a single one, all of whose ways are asked.
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(6)]
    public async Task The_promises_hold_behind_proxies_on_a_bad_network_with_restarts(int seed)
    {
        (IReadOnlyList<ProxyViolation> violations, string summary) = await ProxyRuns.RunAsync(
            ProxyScenario.Make((ulong)seed, Steps), plant: null);
        output.WriteLine(summary);
        Assert.True(violations.Count == 0, $"{summary}\n{string.Join('\n', violations)}");
    }

    // All of them: simulate --only proxies --plant each.
    [Theory]
    [External]
    [InlineData("swapped-answers")]
    [InlineData("shared-identity")]
    [InlineData("no-max-age")]
    [InlineData("no-hop-limit")]
    [InlineData("second-registration")]
    public async Task A_planted_defect_is_found_by_its_check(string plant)
    {
        ulong? seed = await ProxyRuns.FindAsync(plant);
        output.WriteLine($"{plant}: seed {seed}");
        Assert.NotNull(seed);
    }

    [Fact]
    public async Task A_failing_proxy_scenario_is_shrunk_to_the_steps_that_cause_the_failure()
    {
        ProxyStep cause = new() { Kind = ProxyStepKind.Ask, Id = 7, Method = CoapMethod.Put, Size = 3000 };
        ProxyScenario scenario = new(
            new ProxyPlan { Seed = 1 },
            [new ProxyStep { Kind = ProxyStepKind.Change }, cause, new ProxyStep { Kind = ProxyStepKind.Heal }]);

        ProxyScenario shrunk = await ProxyRuns.ShrinkAsync(scenario, ProxyCheck.Bodies, "cut-body", maxRuns: 8);

        Assert.Equal([cause], shrunk.Steps);
    }

    [Fact]
    public void A_proxy_scenario_can_be_stored_as_text()
    {
        ProxyScenario scenario = ProxyScenario.Make(5, 100);

        ProxyScenario read = ProxyScenario.Parse(scenario.ToString());

        Assert.Equal(scenario.Plan, read.Plan);
        Assert.Equal(scenario.Steps, read.Steps);
        Assert.Throws<FormatException>(() => ProxyScenario.Parse("seed 1"));
    }
}
