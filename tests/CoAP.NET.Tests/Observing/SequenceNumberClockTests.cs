using CoAP.NET.Observing;
using CoAP.NET.Observing.Server;

namespace CoAP.NET.Tests.Observing;

/// <summary>The numbers of notifications over restarts: RFC 7641 sections 3.4 and 4.4.</summary>
public sealed class SequenceNumberClockTests
{
    private const long Second = TimeSpan.TicksPerSecond;
    private static readonly long s_wall = new DateTime(2030, 1, 1, 0, 0, 0, DateTimeKind.Utc).Ticks;

    [Fact]
    [Rfc("7641-4.4-1")]
    public void Observe_values_increase_and_use_fewer_than_half_of_the_values_in_256_seconds()
    {
        SequenceNumberClock clock = new(s_wall, start: 17);
        for (long elapsed = 0; elapsed < 7_200 * Second; elapsed += 13 * Second)
        {
            long before = clock.At(17 + elapsed);
            Assert.True(clock.At(17 + elapsed + (Second / 1_000)) > before);
            Assert.True(clock.At(17 + elapsed + (256 * Second)) - before < 1 << 23);
        }
    }

    [Theory]
    [Rfc("7641-4.4-1")]
    [InlineData(1, 0, 0)]
    [InlineData(10, 2, 0)]
    [InlineData(3_600, 2, 0)]
    [InlineData(3_600, 2, 60)]
    [InlineData(100_000, 0.5, 60)]
    [InlineData(1_800, 1, 30)]
    [InlineData(100_000, 120, 60)]
    public void Observe_values_are_newer_after_a_restart_even_when_the_clock_was_set_back(double ran, double away,
        double setBack)
    {
        SequenceNumberClock first = new(s_wall, start: 1_000_000 * Second);
        uint last = Number(first.At((long)((1_000_000 + ran) * Second)));

        // The monotonic clock of a machine begins anew.
        long wall = s_wall + (long)((ran + away - setBack) * Second);
        SequenceNumberClock second = new(wall, start: 5 * Second);
        uint next = Number(second.At(5 * Second) + 1);
        Assert.True(NotificationOrder.IsNewer(last, 0, next, (long)(away * Second)), $"{next:x} after {last:x}");
    }

    [Theory]
    [Rfc("7641-4.4-1")]
    [InlineData(0, 0)]
    [InlineData(0, 100_000)]
    [InlineData(10, 100_000)]
    [InlineData(3_600, 1)]
    public void An_observer_restored_on_another_server_gets_newer_Observe_values_than_before(double ranBefore, double ranHere)
    {
        // Both have the same wall clock, and began at different times: the one that began later is ahead.
        SequenceNumberClock before = new(s_wall - (long)(ranBefore * Second), start: 0);
        uint last = Number(before.At((long)(ranBefore * Second)) + 1);
        SequenceNumberClock here = new(s_wall - (long)(ranHere * Second), start: 0);
        uint next = Number(here.Ahead((long)((ranHere + 1) * Second)));
        Assert.True(NotificationOrder.IsNewer(last, 0, next, Second), $"{next:x} after {last:x}");
    }

    private static uint Number(long sequence) => (uint)sequence & ObserveOption.MaxValue;
}
