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
    public async Task The_duration_of_a_ping_is_never_negative(int beganAfter, int took)
    {
        // A receive loop keeps the time of what it received last; another thread that sends has looked at the clock since.
        MessagingRig rig = new();
        ExchangeLayer layer = new(rig.Shard);
        long began = rig.Shard.Environment.Now + FromMilliseconds(beganAfter).Ticks;
        PingRequest ping = new(layer, rig.Channel(), default, began, passesQueue: false);
        rig.Shard.Enter();
        layer.Register(ping);
        rig.Shard.ExitAndSend();

        ping.OnTransmissionEnd(ping.Transmission, CoapInboundKind.Reset);

        Assert.Equal(FromMilliseconds(took), await ping.Completion.Task);
    }
}
