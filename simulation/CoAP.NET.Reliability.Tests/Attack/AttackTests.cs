using CoAP.NET.Simulation.Attack;

namespace CoAP.NET.Reliability.Tests.Attack;

/// <summary>The attack table in its small form; the large one is the campaign <c>attack</c>.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class AttackTests(ITestOutputHelper output)
{
    public static TheoryData<string> Rows => [.. AttackCampaign.Rows.Select(row => row.Name)];

    // In small, no observer is lost to guesses of a constant.
    public static TheoryData<string, string> Plants =>
        [.. AttackCampaign.Rows.Where(row => row.Name != "guess-reset").SelectMany(row => row.Plants.Select(plant => (row.Name, plant)))];

    [Theory]
    [Rfc("7252-11.3-1", "7252-4.5-1", "7641-4.1-3", "7959-C-1", "9175-2.4-1", "7641-7-1", "9175-2.4-2", "7252-8.2-1", "7252-8.2-2",
        "gc-3.1.2-1", "7252-5.3.1-2", "7252-5.3.1-3", "7252-11.4-1", "7252-4.4-3", "7252-5.3.2-1", "9175-4.2-1", "9175-2.3-1",
        "9175-2.2.1-2", "7252-4.2-6", "9175-3.3-1", "9175-3.4-1", "9175-3.5.1-1", "7959-2.4-5", "9175-3.8-1", "9177-4.4-2",
        "9177-11-1", "7252-5.6-1", "7252-4.6-1", "8949-10-1", "8323-5.3.1-2", "8613-8.2-1")]
    [MemberData(nameof(Rows))]
    public async Task No_attack_gets_beyond_its_bounds(string row)
    {
        List<string> told = [];
        AttackRun run = await AttackCampaign.RunRowAsync(AttackCampaign.Rows.Single(one => one.Name == row), isShort: true, tell: told.Add);
        Assert.True(!run.Failures.Any(), string.Join(Environment.NewLine, run.Failures.Concat(told)));
        Assert.NotEmpty(run.Figures);
        foreach (AttackFigure figure in run.Figures)
        {
            output.WriteLine($"{figure.What}; bound {figure.Bound}");
        }
    }

    [Theory]
    [External]
    [MemberData(nameof(Plants))]
    public async Task A_planted_defect_is_found(string row, string plant)
    {
        AttackRow found = AttackCampaign.Rows.Single(one => one.Name == row);
        AttackRun run = await AttackCampaign.RunRowAsync(found, isShort: true, plant: plant);
        Assert.NotEmpty(run.Failures);
    }
}
