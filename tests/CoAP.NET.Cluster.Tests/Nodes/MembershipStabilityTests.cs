using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;

namespace CoAP.NET.Cluster.Tests.Nodes;

public sealed class MembershipStabilityTests
{
    [Fact]
    public void The_remaining_settle_time_is_rounded_up_so_that_it_is_over_after_the_wait()
    {
        VirtualClock clock = new();
        MembershipStability settle = new(FromSeconds(2), clock);
        settle.See([CoapNodeId.New()]);
        clock.Advance(FromMilliseconds(500.3));

        TimeSpan left = settle.Left();
        Assert.Equal(FromMilliseconds(1500), left);
        clock.Advance(left);

        Assert.Equal(TimeSpan.Zero, settle.Left());
    }
}
