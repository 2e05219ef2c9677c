using CoAP.NET.Simulation.Simulate.Clusters;

namespace CoAP.NET.Reliability.Tests.Simulate;

/// <summary>Scenarios of clusters. The runs themselves need processes of their own: <c>simulate --only cluster</c>.</summary>
public sealed class ClusterRunTests
{
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
