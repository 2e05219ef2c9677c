using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

public sealed class ProgressTotalsTests
{
    private static readonly LoadProgress One = Ticks.Measuring;

    [Fact]
    public void Rates_and_counts_of_workers_are_added_and_the_worst_times_are_reported()
    {
        LoadProgress sum = ProgressTotals.Of([(One, true), (One with { Elapsed = FromSeconds(4), P50 = 900, P99 = 100, Errors = 5 }, true)],
            lost: 1);
        Assert.Equal(new LoadProgress("measuring", FromSeconds(4), FromSeconds(8), 10, 2000, 900, 900, 7, 4), sum);
    }

    [Fact]
    public void The_reported_phase_is_that_of_the_slowest_worker() =>
        Assert.Equal("connecting",
            ProgressTotals.Of([(One, true), (One with { Phase = "connecting" }, true), (One with { Phase = "ending" }, true)], 0).Phase);

    [Fact]
    public void A_silent_worker_counts_without_a_rate_but_with_its_counts()
    {
        LoadProgress sum = ProgressTotals.Of([(One, true),
            (One with { Phase = "warming up", PerSecond = 50_000, P99 = 1e6 }, false)], lost: 0);
        Assert.Equal((1000, 900, 10, 2, 4, "measuring"), (sum.PerSecond, sum.P99, sum.Peers, sum.Errors, sum.Lost, sum.Phase));
    }

    [Fact]
    public void The_rate_is_zero_when_all_workers_are_silent() => Assert.Equal(0, ProgressTotals.Of([(One, false)], 0).PerSecond);
}
