using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Tests;

public sealed class LoadHistogramTests
{
    [Fact]
    public void A_time_is_recorded_with_an_error_of_at_most_1_64th()
    {
        for (long time = 1; time < 1L << 39; time += 1 + (time / 7))
        {
            LoadHistogram one = new();
            one.Add(time);
            one.Add(long.MaxValue / 4);
            double told = one.Microseconds(0.5) * 1000;
            Assert.InRange(told, time, time + (time / 64.0) + 1);
        }
    }

    [Fact]
    public void Percentiles_are_weighted_by_the_number_of_times()
    {
        LoadHistogram times = new();
        times.Add(1_000, 98);
        times.Add(50_000);
        times.Add(900_000);
        Assert.Equal(1, times.Microseconds(0.98), tolerance: 0.02);
        Assert.Equal(50, times.Microseconds(0.99), tolerance: 1.0);
        Assert.Equal(900, times.Microseconds(1), tolerance: 0.1);
        Assert.Equal(900_000, times.Longest);
        Assert.Equal(100, times.Count);
    }

    [Fact]
    public void A_JSON_report_has_the_minimum_and_the_percentiles_in_addition_to_the_histogram()
    {
        LoadHistogram times = new();
        for (int microseconds = 1; microseconds <= 1000; microseconds++)
        {
            times.Add(microseconds * 1000);
        }

        LoadResult run = new()
        {
            Plan = new LoadPlan { Uri = "coap://127.0.0.1/x" },
            Seconds = 1,
            Count = 1000,
            Times = LoadResult.ToPairs(times),
        };
        LoadReport report = new() { Begun = DateTimeOffset.UnixEpoch, Machine = "m", Command = "c", Runs = [run] };
        using JsonDocument document = JsonDocument.Parse(report.ToJson());
        JsonElement told = document.RootElement.GetProperty("runs")[0];
        JsonElement parts = told.GetProperty("microseconds");
        Assert.All(
            new[] { ("min", 1.0), ("p50", 500), ("p90", 900), ("p95", 950), ("p99", 990), ("p999", 999), ("max", 1000) },
            part => Assert.InRange(parts.GetProperty(part.Item1).GetDouble(), part.Item2, part.Item2 * (1 + (1 / 64.0))));
        Assert.False(told.TryGetProperty("changeMicroseconds", out _));
        Assert.Equal(run.Microseconds, Assert.Single(LoadReport.Parse(report.ToJson()).Runs).Microseconds);
    }

    [Fact]
    public void A_histogram_written_as_pairs_is_read_back_unchanged()
    {
        LoadHistogram times = new();
        Random random = new(1);
        for (int i = 0; i < 1000; i++)
        {
            times.Add(random.NextInt64(1L << random.Next(1, 38)));
        }

        LoadHistogram again = LoadResult.ToHistogram(LoadResult.ToPairs(times));
        Assert.Equal(times.Filled, again.Filled);
        Assert.Equal(times.Count, again.Count);
    }

    [Fact]
    public void Results_of_several_workers_add_up()
    {
        LoadPlan plan = new() { Uri = "coap://127.0.0.1/x" };
        LoadHistogram first = new();
        first.Add(1000, 10);
        LoadHistogram second = new();
        second.Add(3000, 30);
        LoadResult sum = LoadResult.Merge(plan, [
            new LoadResult
            {
                Plan = plan,
                Seconds = 2,
                Count = 10,
                Times = LoadResult.ToPairs(first),
                Lost = 1,
                Errors = new Dictionary<string, long> { ["5.03"] = 2 },
                Series = [new(1, 10, 1, 1)]
            },
            new LoadResult
            {
                Plan = plan,
                Seconds = 2,
                Count = 30,
                Times = LoadResult.ToPairs(second),
                Errors = new Dictionary<string, long> { ["5.03"] = 1, ["4.04"] = 4 },
                Series = [new(1, 30, 3, 4), new(2, 5, 1, 1)],
                Converged = 7
            },
        ]);
        Assert.Equal((40, 20.0, 1, 7, 2), (sum.Count, sum.PerSecond, sum.Lost, sum.ErrorCount, sum.Workers));
        Assert.Equal((3, 4), (sum.Errors["5.03"], sum.Errors["4.04"]));
        Assert.Equal([new LoadSecond(1, 40, 3, 4), new LoadSecond(2, 5, 1, 1)], sum.Series);
        Assert.Equal(7, sum.Converged);
        Assert.Equal(3, sum.Histogram().Microseconds(0.5), tolerance: 0.1);
    }

    [Fact]
    public void A_report_that_was_written_is_read_back_unchanged()
    {
        LoadPlan plan = new() { Uri = "coap://127.0.0.1/x", Loop = LoadPacing.Open, Rate = 12.5 };
        LoadReport report = new()
        {
            Begun = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
            Machine = "m",
            Command = "c",
            Runs = [new LoadResult { Plan = plan, Seconds = 1, Count = 1, Times = [[5000, 1]] }]
        };
        LoadReport again = LoadReport.Parse(report.ToJson());
        Assert.Equal(plan, Assert.Single(again.Runs).Plan);
        Assert.Equal(report.ToJson(), again.ToJson());
    }
}
