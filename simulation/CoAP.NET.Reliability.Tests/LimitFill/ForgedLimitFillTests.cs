using CoAP.NET.Simulation.Attack;
using CoAP.NET.Simulation.LimitFill;

namespace CoAP.NET.Reliability.Tests.LimitFill;

/// <summary>Short forms of the rows with forged addresses. They measure the heap of the process, so nothing runs beside them.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ForgedLimitFillTests
{
    public static TheoryData<string> ForgedRows => [.. ForgedLimitFillers.Rows.Select(row => row.Name)];

    [Theory]
    [MemberData(nameof(ForgedRows))]
    public async Task Honest_clients_are_served_while_unverified_addresses_exhaust_a_limit(string name)
    {
        List<string> told = [];
        AttackRun run = await AttackCampaign.RunRowAsync(
            ForgedLimitFillers.Rows.Single(row => row.Name == name), isShort: true, tell: told.Add);
        Assert.True(!run.Failures.Any(), string.Join(Environment.NewLine, run.Failures.Concat(told)));
        Assert.NotEmpty(run.Figures);
    }
}
