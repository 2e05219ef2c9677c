using CoAP.NET.Exchanges;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>How long a Ping took.</summary>
public sealed class PingRequestTests
{
    [Theory]
    [InlineData(30, 0)]
    [InlineData(0, 0)]
    [InlineData(-30, 30)]
    public async Task A_Ping_that_began_by_a_later_clock_than_its_answer_took_no_time(int beganAfter, int took)
    {
        // A receive loop keeps the time of what it received last; another thread that sends has looked at the clock since.
        MessagingRig rig = new();
        ExchangeLayer layer = new(rig.Shard);
        long began = rig.Shard.Environment.Now + TimeSpan.FromMilliseconds(beganAfter).Ticks;
        PingRequest ping = new(layer, rig.Channel(), default, began, passesQueue: false);
        rig.Shard.Enter();
        layer.Register(ping);
        rig.Shard.ExitAndSend();

        ping.OnFate(ping.Transmission, CoapInboundKind.Reset);

        Assert.Equal(TimeSpan.FromMilliseconds(took), await ping.Completion.Task);
    }
}
