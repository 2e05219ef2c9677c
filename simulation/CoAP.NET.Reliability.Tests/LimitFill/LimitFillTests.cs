using CoAP.NET.Simulation.LimitFill;

namespace CoAP.NET.Reliability.Tests.LimitFill;

/// <summary>Short forms of rows of the campaign: each bound is held full, and honest clients are served nevertheless.</summary>
/// <param name="output">Takes the figures.</param>
public sealed class LimitFillTests(ITestOutputHelper output)
{
    public static TheoryData<string, int> Rows
    {
        get
        {
            TheoryData<string, int> rows = [];
            foreach (LimitFillCase row in LimitFillCases.All)
            {
                rows.Add(row.Name, 1);
                rows.Add(row.Name, 4);
            }

            return rows;
        }
    }

    [Theory]
    [MemberData(nameof(Rows))]
    public async Task Honest_clients_are_served_while_some_sources_exhaust_a_limit(string name, int sources)
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
