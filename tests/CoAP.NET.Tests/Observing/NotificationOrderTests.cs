using CoAP.NET.Observing;

namespace CoAP.NET.Tests.Observing;

public sealed class NotificationOrderTests
{
    [Theory]
    [Rfc("7641-3.4-1")]
    [InlineData(0u, 1u, 1, true)]
    [InlineData(1u, 0u, 1, false)]
    [InlineData(5u, 5u, 1, false)]
    [InlineData(5u, 5u, 128, false)]
    [InlineData(5u, 5u, 129, true)]
    [InlineData(16777215u, 0u, 1, true)]
    [InlineData(0u, 16777215u, 1, false)]
    [InlineData(0u, 8388607u, 1, true)]
    [InlineData(0u, 8388608u, 1, false)]
    [InlineData(0u, 8388609u, 1, false)]
    [InlineData(8388608u, 0u, 1, false)]
    [InlineData(8388609u, 0u, 1, true)]
    [InlineData(8388607u, 0u, 1, false)]
    [InlineData(16777214u, 1u, 1, true)]
    [InlineData(1u, 16777214u, 1, false)]
    [InlineData(100u, 50u, 129, true)]
    [InlineData(100u, 50u, 128, false)]
    public void A_notification_is_newer_by_its_24_bit_Observe_value_or_after_128_seconds(uint known, uint number, int seconds, bool isNewer)
    {
        const long knownAt = 77;
        Assert.Equal(isNewer, NotificationOrder.IsNewer(known, knownAt, number, knownAt + (seconds * TimeSpan.TicksPerSecond)));
    }

    [Fact]
    public void A_notification_is_newer_as_soon_as_128_seconds_have_passed() =>
        Assert.True(NotificationOrder.IsNewer(5, 0, 5, (128 * TimeSpan.TicksPerSecond) + 1));
}
