using CoAP.NET.Load.Running;

namespace CoAP.NET.Load.Tests.Running;

public sealed class ArrivalTimesTests
{
    [Theory]
    [InlineData(100, 0, 10, 1000)]
    [InlineData(0.5, 0, 10, 5)]
    [InlineData(100, 4, 10, 800)]
    [InlineData(100, 4, 2, 50)]
    public void Equally_spaced_requests_are_due_at_the_rate_which_rises_during_the_ramp(double rate, double ramp, double seconds,
        int expected) =>
            Assert.InRange(Until(new ArrivalTimes(rate, ramp, poisson: false, seed: 1), seconds).Count, expected, expected + 1);

    [Fact]
    public void Equally_spaced_requests_have_equal_distances()
    {
        List<double> times = Until(new ArrivalTimes(1000, 0, poisson: false, seed: 7), 1);
        Assert.All(times.Zip(times.Skip(1)), pair => Assert.Equal(0.001, pair.Second - pair.First, tolerance: 1e-9));
        Assert.InRange(times[0], 0, 0.001);
    }

    [Theory]
    [InlineData(0, 100_000)]
    [InlineData(50, 75_000)]
    public void Poisson_arrivals_have_the_configured_rate_and_exponentially_distributed_distances(double ramp, int expected)
    {
        List<double> times = Until(new ArrivalTimes(1000, ramp, poisson: true, seed: 3), 100);

        // The count of a Poisson process deviates by its root: 5 of these.
        Assert.InRange(times.Count, expected - (5 * Math.Sqrt(expected)), expected + (5 * Math.Sqrt(expected)));
        double[] spaces = [.. times.Zip(times.Skip(1)).Where(pair => pair.First > ramp).Select(pair => pair.Second - pair.First)];
        double mean = spaces.Average();
        Assert.Equal(1, Math.Sqrt(spaces.Average(space => (space - mean) * (space - mean))) / mean, tolerance: 0.05);
    }

    [Fact]
    public void The_same_seed_gives_the_same_times_and_another_seed_gives_other_times()
    {
        List<double> first = Until(new ArrivalTimes(100, 1, poisson: true, seed: 5), 5);
        Assert.Equal(first, Until(new ArrivalTimes(100, 1, poisson: true, seed: 5), 5));
        Assert.NotEqual(first, Until(new ArrivalTimes(100, 1, poisson: true, seed: 6), 5));
    }

    private static List<double> Until(ArrivalTimes arrivals, double seconds)
    {
        List<double> times = [];
        for (; arrivals.Next < seconds; arrivals.MoveOn())
        {
            times.Add(arrivals.Next);
        }

        Assert.Equal(times.Order(), times);
        return times;
    }
}
