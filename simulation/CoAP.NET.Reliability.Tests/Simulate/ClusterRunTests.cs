using CoAP.NET.Dtls;
using CoAP.NET.Simulation;
using CoAP.NET.Simulation.Simulate.Clusters;
using Xunit.Abstractions;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>Nodes of a cluster that die, sleep, leave and are cut off, and devices behind a balancer; in processes of their own.</summary>
public sealed class ClusterRunTests(ITestOutputHelper output)
{
    private const int Seeds = 12;

    [Fact]
    public async Task Nothing_that_is_promised_breaks_when_nodes_of_a_cluster_die_sleep_leave_and_are_cut_off()
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        await using StringWriter told = new();
        CampaignReport report = await ClusterRuns.RunSeedsAsync(new CampaignOptions { Seeds = Seeds }, null, told, CancellationToken.None);
        output.WriteLine(report.Body);
        Assert.True(report.Failures.Count == 0, string.Join('\n', report.Failures));
    }

    // All of them: simulate --only cluster --plant each.
    [Theory]
    [InlineData("fence-ignored")]
    [InlineData("reserve-unconfirmed")]
    [InlineData("observer-lost")]
    [InlineData("twice")]
    [InlineData("outbox-reordered")]
    public async Task A_planted_defect_is_found_by_the_check_that_is_there_for_it(string plant)
    {
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        ulong? seed = await ClusterRuns.FindAsync(plant);
        output.WriteLine($"{plant}: seed {seed}");
        Assert.NotNull(seed);
    }

    [Fact]
    public void A_scenario_can_be_kept_as_text()
    {
        ClusterScenario scenario = ClusterScenario.Make(5, 100);

        ClusterScenario read = ClusterScenario.Parse(scenario.ToString());

        Assert.Equal(scenario.Plan, read.Plan);
        Assert.Equal(scenario.Steps, read.Steps);
        Assert.Throws<FormatException>(() => ClusterScenario.Parse("seed 1"));
    }
}
