namespace CoAP.NET.Tests.Guarding;

/// <summary>How much of something may happen in a time.</summary>
public sealed class RateLimitTests
{
    [Theory]
    [InlineData(64, 256)]
    [InlineData(3, 7)]
    [InlineData(0.5, 1)]
    [InlineData(1_000_000, 1024)]
    public void A_rate_limit_allows_exactly_its_burst_and_one_more_after_the_reported_wait(double perSecond, int burst)
    {
        RateLimit rate = RateLimit.PerSecond(perSecond, burst);
        long until = long.MinValue;
        Assert.Equal(burst, Drawn(rate, ref until, now: 0));

        TimeSpan wait = rate.WaitAt(until, 0);
        Assert.InRange(wait.TotalSeconds, 1 / perSecond, (1 / perSecond) + 1e-6);
        Assert.Equal(0, Drawn(rate, ref until, wait.Ticks - 1));
        Assert.Equal(1, Drawn(rate, ref until, wait.Ticks));
    }

    [Fact]
    public void RateLimit_Within_allows_half_of_the_amount_at_once_and_the_rest_over_the_period()
    {
        RateLimit rate = RateLimit.Within(1000, FromMinutes(1));
        long until = long.MinValue;
        Assert.Equal(500, Drawn(rate, ref until, now: 0));
        Assert.Equal(250, Drawn(rate, ref until, FromSeconds(30).Ticks));
        Assert.Equal(0, Drawn(RateLimit.Within(0, FromMinutes(1)), ref until, now: long.MaxValue / 2));
    }

    private static int Drawn(RateLimit rate, ref long until, long now)
    {
        int count = 0;
        while (rate.TryDraw(until, 1, now, out until))
        {
            count++;
        }

        return count;
    }
}
