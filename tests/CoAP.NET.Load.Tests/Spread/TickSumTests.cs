namespace CoAP.NET.Load.Tests;

public sealed class TickSumTests
{
    private static readonly LoadTick One = Ticks.Measuring;

    [Fact]
    public void Rates_and_counts_add_up_and_of_times_the_worst_is_told()
    {
        LoadTick sum = TickSum.Of([(One, true), (One with { Elapsed = TimeSpan.FromSeconds(4), P50 = 900, P99 = 100, Errors = 5 }, true)],
            lost: 1);
        Assert.Equal(new LoadTick("measuring", TimeSpan.FromSeconds(4), TimeSpan.FromSeconds(8), 10, 2000, 900, 900, 7, 4), sum);
    }

    [Fact]
    public void The_phase_is_the_one_of_the_last_of_them() =>
        Assert.Equal("connecting",
            TickSum.Of([(One, true), (One with { Phase = "connecting" }, true), (One with { Phase = "ending" }, true)], 0).Phase);

    [Fact]
    public void Who_is_silent_has_no_rate_but_keeps_its_counts()
    {
        LoadTick sum = TickSum.Of([(One, true), (One with { Phase = "warming up", PerSecond = 50_000, P99 = 1e6 }, false)], lost: 0);
        Assert.Equal((1000, 900, 10, 2, 4, "measuring"), (sum.PerSecond, sum.P99, sum.Peers, sum.Errors, sum.Lost, sum.Phase));
    }

    [Fact]
    public void When_all_are_silent_the_rate_is_zero() => Assert.Equal(0, TickSum.Of([(One, false)], 0).PerSecond);
}
