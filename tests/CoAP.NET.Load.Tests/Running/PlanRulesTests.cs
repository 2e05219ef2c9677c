using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Tests.Running;

public sealed class PlanRulesTests
{
    private static readonly LoadPlan s_plan = new() { Uri = "coap://127.0.0.1/x" };

    [Fact]
    public void The_default_plan_is_valid() => Assert.Null(PlanRules.FaultOf(s_plan));

    [Fact]
    public void An_invalid_plan_is_reported()
    {
        LoadPlan[] wrong =
        [
            s_plan with { Uri = "x" },
            s_plan with { Uri = "coap://127.0.0.1:0/x" },
            s_plan with { Method = "TAKE" },
            s_plan with { Method = "1" },
            s_plan with { Method = "2.05" },
            s_plan with { Method = "FETCH" },
            s_plan with { Payload = "x", PayloadBytes = 1 },
            s_plan with { Loop = LoadPacing.Open },
            s_plan with { Peers = 0 },
            s_plan with { Peers = 1_000_001 },
            s_plan with { Depth = 0 },
            s_plan with { Seconds = 0 },
            s_plan with { Seconds = double.NaN },
            s_plan with { WarmUpSeconds = -1 },
            s_plan with { TimeoutSeconds = 0 },
            s_plan with { Retransmissions = 21 },
            s_plan with { PayloadBytes = -1 },
        ];
        Assert.All(wrong, plan => Assert.False(string.IsNullOrEmpty(PlanRules.FaultOf(plan))));
    }

    [Theory]
    [InlineData("get", 1)]
    [InlineData("IPATCH", 7)]
    [InlineData("0.05", 5)]
    [InlineData("0.31", 31)]
    public void A_method_may_be_a_name_or_a_code(string text, int code) => Assert.Equal(code, PlanRules.CodeOf(text)!.Value.Value);
}
