namespace CoAP.NET.Cluster.Tests.Nodes;

public sealed class SettleClockTests
{
    [Fact]
    public void Who_waits_for_what_is_left_and_looks_again_finds_nothing_left()
    {
        VirtualClock clock = new();
        SettleClock settle = new(FromSeconds(2), clock);
        settle.See([CoapNodeId.New()]);
        clock.Advance(FromMilliseconds(500.3));

        TimeSpan left = settle.Left();
        Assert.Equal(FromMilliseconds(1500), left);
        clock.Advance(left);

        Assert.Equal(TimeSpan.Zero, settle.Left());
    }
}
