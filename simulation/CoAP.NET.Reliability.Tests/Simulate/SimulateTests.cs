using CoAP.NET.Simulation;
using CoAP.NET.Simulation.Simulate;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>Short runs of the simulation. All seeds that CI runs are run by the command: <c>simulate --seeds 500</c>.</summary>
public sealed class SimulateTests
{
    public static TheoryData<string> PlantedDefects => [.. Plants.All.Keys];

    [Fact]
    public void Runs_of_many_seeds_violate_no_rule()
    {
        using IDisposable poison = BufferPoison.Start();
        for (ulong seed = 1; seed <= 30; seed++)
        {
            RunResult result = SimulateCampaign.Run(ScenarioGenerator.Make(seed));
            Assert.True(result.IsGood, $"seed {seed}\n{result.Describe()}");
        }
    }

    [Fact]
    public void The_same_seed_gives_an_identical_run()
    {
        for (ulong seed = 1; seed <= 4; seed++)
        {
            Assert.Equal(SimulateCampaign.Run(ScenarioGenerator.Make(seed)).Hash, SimulateCampaign.Run(ScenarioGenerator.Make(seed)).Hash);
        }

        Assert.NotEqual(SimulateCampaign.Run(ScenarioGenerator.Make(1)).Hash, SimulateCampaign.Run(ScenarioGenerator.Make(2)).Hash);
    }

    [Fact]
    public void A_scenario_survives_the_conversion_to_text_and_back()
    {
        Scenario scenario = ScenarioGenerator.Make(7);
        Scenario again = Scenario.Parse(scenario.ToString());
        Assert.Equal(scenario.ToString(), again.ToString());
        Assert.Equal(scenario.Steps, again.Steps);
        Assert.Equal(scenario.Nodes, again.Nodes);
    }

    [Theory]
    [External]
    [MemberData(nameof(PlantedDefects))]
    public void A_planted_defect_is_found(string plant)
    {
        CheckKind check = Plants.All[plant]().FoundBy;
        for (ulong seed = 1; seed <= 60; seed++)
        {
            if (SimulateCampaign.Run(ScenarioGenerator.Make(seed), plant, again: check == CheckKind.SameAgain).Violations
                .Any(violation => violation.Check == check))
            {
                return;
            }
        }

        Assert.Fail($"60 seeds did not find {plant}.");
    }

    [Fact]
    public void The_report_of_a_failed_run_has_its_scenario_its_trace_and_as_few_steps_as_possible()
    {
        RunResult failed = SimulateCampaign.Run(ScenarioGenerator.Make(1), "changed-block");
        RunResult shrunk = Shrinker.Shrink(failed, scenario => SimulateCampaign.Run(scenario, "changed-block"));
        Assert.True(shrunk.Scenario.Steps.Count <= 3, shrunk.Scenario.ToString());
        string text = shrunk.Describe();
        Assert.Contains("Bodies at", text, StringComparison.Ordinal);
        Assert.Contains("seed 1", text, StringComparison.Ordinal);
        Assert.Contains("Delivered", text, StringComparison.Ordinal);
        Assert.Equal(shrunk.Hash, SimulateCampaign.Run(Scenario.Parse(shrunk.Scenario.ToString()), "changed-block").Hash);
    }
}
