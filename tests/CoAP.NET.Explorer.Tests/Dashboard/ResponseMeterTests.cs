using CoAP.NET.Explorer.Dashboard;

namespace CoAP.NET.Explorer.Tests.Dashboard;

/// <summary>Percentiles by route, and their bounds.</summary>
public sealed class ResponseMeterTests
{
    private const byte Content = 0x45;

    [Fact]
    public void The_percentiles_of_a_route_are_accurate_to_ten_percent()
    {
        ResponseMeter meter = new(10);
        for (int i = 1; i <= 1000; i++)
        {
            meter.Record("/a", Content, i * 1e-3);
        }

        meter.Turn(1);

        RouteFigures route = Assert.Single(meter.ByRoute());
        Assert.Equal(("/a", 1000L, 1000.0), (route.Name, route.Recent.Count, route.Rate));
        Assert.InRange(route.Recent.Median!.Value, 0.45, 0.55);
        Assert.InRange(route.Recent.Ninety!.Value, 0.81, 0.99);
        Assert.InRange(route.Recent.NinetyNine!.Value, 0.89, 1.09);
    }

    [Fact]
    public void A_request_counts_as_recent_for_ten_seconds_and_then_for_the_minute_only()
    {
        ResponseMeter meter = new(10);
        meter.Record("/a", Content, 0.5);
        Turn(meter, 10);
        Assert.Equal(1, Assert.Single(meter.ByRoute()).Recent.Count);

        Turn(meter, 1);
        RouteFigures route = Assert.Single(meter.ByRoute());
        Assert.Equal((0, null), (route.Recent.Count, route.Recent.Median));
        Assert.Equal(1, route.Minute.Count);
        Assert.InRange(route.Minute.Median!.Value, 0.45, 0.55);

        Turn(meter, 50);
        Assert.Empty(meter.ByRoute());
        Assert.Equal(0, meter.CodesIn(60).Sum());
    }

    [Fact]
    public void Routes_that_exceed_the_limit_are_counted_together()
    {
        ResponseMeter meter = new(2);
        foreach (string route in new[] { "/a", "/b", "/c", "/d", "/a", "/a" })
        {
            meter.Record(route, Content, 0.1);
        }

        meter.Record(null, 0x84, 0.1);
        meter.Turn(1);

        Assert.Equal(2, meter.Routes);
        Assert.Equal([("/a", false, 3L), (null, true, 2L), ("/b", false, 1L), (null, false, 1L)], meter.ByRoute()
            .Select(route => (route.Name, route.IsOthers, route.Minute.Count))
            .OrderByDescending(route => route.Count).ThenByDescending(route => route.Name));
        Assert.Equal(7, meter.Overall().Count);
    }

    [Fact]
    public void Concurrent_recording_threads_lose_no_request()
    {
        ResponseMeter meter = new(4);
        const int Each = 20_000;
        Thread[] threads =
        [
            .. Enumerable.Range(0, 4).Select(_ => new Thread(() =>
            {
                for (int i = 0; i < Each; i++)
                {
                    meter.Record($"/{i % 6}", Content, 1e-3);
                }
            })),
        ];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());
        meter.Turn(1);

        Assert.Equal(4 * Each, meter.CodesIn(1)[Content]);
        Assert.Equal(4 * Each, meter.Overall().Count);
        Assert.Equal(4, meter.Routes);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(1e-6, 0)]
    [InlineData(-1, 0)]
    [InlineData(1e9, LatencyBuckets.Count - 1)]
    public void Times_out_of_range_are_counted_in_the_first_and_last_bucket(double seconds, int bucket) =>
        Assert.Equal(bucket, LatencyBuckets.Of(seconds));

    private static void Turn(ResponseMeter meter, int times)
    {
        for (int i = 0; i < times; i++)
        {
            meter.Turn(1);
        }
    }
}
