using CoAP.NET.Simulation.LimitFill;

namespace CoAP.NET.Reliability.Tests.LimitFill;

/// <summary>Short forms of rows of the campaign: each bound is held full, and honest clients are served nevertheless.</summary>
/// <param name="output">Takes the figures.</param>
public sealed class LimitFillTests(ITestOutputHelper output)
{
    public static TheoryData<string> Rows => [.. LimitFillCases.All.Select(row => row.Name)];

    [Theory]
    [MemberData(nameof(Rows))]
    public Task Honest_clients_are_served_while_a_source_exhausts_a_limit(string name) => RunAsync(name, sources: 1);

    [Theory]
    [External]
    [MemberData(nameof(Rows))]
    public Task Honest_clients_are_served_while_four_sources_exhaust_a_limit(string name) => RunAsync(name, sources: 4);

    private async Task RunAsync(string name, int sources)
    {
        LimitFillResult result = await LimitFillRun.RunShortAsync(LimitFillCases.All.Single(row => row.Name == name), sources);
        output.WriteLine(
            $"{result.Times.Served} of {result.Times.Asked} served, {result.Held} held, proof {result.Proof}, {result.Sent} bytes of "
                + "attackers");
        Assert.True(result.Failures.Count == 0, string.Join(Environment.NewLine, result.Failures));
        Assert.Equal(result.Times.Asked, result.Times.Served);
        Assert.True(result.Times.Asked >= 15 * 7);
    }
}
