using CoAP.NET.Observing.Client;

namespace CoAP.NET.Tests.Observing;

public sealed class ObserveReregistrationScheduleTests
{
    [Fact]
    [Rfc("7641-3.3.1-3")]
    public void The_delay_of_a_new_registration_after_Max_Age_is_5_to_15_seconds()
    {
        Assert.Equal(FromSeconds(5).Ticks, ObserveReregistrationSchedule.Timeout(0));
        Assert.Equal(FromSeconds(10).Ticks, ObserveReregistrationSchedule.Timeout(0.5));
        Assert.InRange(ObserveReregistrationSchedule.Timeout(0.999_999), FromSeconds(14.9).Ticks, FromSeconds(15).Ticks);
    }

    [Theory]
    [InlineData(0, 2.5, 5)]
    [InlineData(1, 5, 10)]
    [InlineData(5, 80, 160)]
    [InlineData(6, 150, 300)]
    [InlineData(1000, 150, 300)]
    public void The_backoff_after_failed_registrations_doubles_up_to_a_bound_with_a_random_half(int failures, double least, double most)
    {
        TimeSpan bound = FromMinutes(5);
        Assert.Equal(FromSeconds(least).Ticks, ObserveReregistrationSchedule.BackOff(failures, bound, 0));
        Assert.InRange(ObserveReregistrationSchedule.BackOff(failures, bound, 0.999_999), FromSeconds(most * 0.999).Ticks,
            FromSeconds(most).Ticks);
    }
}
