using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging.Timing;

/// <summary>RFC 6298 section 2, computed by hand.</summary>
public sealed class RoundTripEstimateTests
{
    [Fact]
    public void The_round_trip_estimate_matches_a_calculation_by_hand()
    {
        RoundTripEstimate estimate = default;
        Assert.False(estimate.HasSample);

        // 100 ms: SRTT = R, RTTVAR = R/2.
        estimate.Add(1_000_000);
        Assert.Equal((1_000_000, 500_000, 3_000_000), (estimate.Smoothed, estimate.Variation, estimate.Timeout(4)));

        // 200 ms: RTTVAR = 3/4 * 50 + 1/4 * |100 - 200| = 62.5 ms; SRTT = 7/8 * 100 + 1/8 * 200 = 112.5 ms.
        estimate.Add(2_000_000);
        Assert.Equal((1_125_000, 625_000, 3_625_000), (estimate.Smoothed, estimate.Variation, estimate.Timeout(4)));

        // 60 ms: RTTVAR = 3/4 * 62.5 + 1/4 * 52.5 = 60 ms; SRTT = 7/8 * 112.5 + 1/8 * 60 = 105.9375 ms.
        estimate.Add(600_000);
        Assert.Equal((1_059_375, 600_000, 3_459_375, 1_659_375),
            (estimate.Smoothed, estimate.Variation, estimate.Timeout(4), estimate.Timeout(1)));
    }

    [Fact]
    public void A_constant_round_trip_time_gives_a_timeout_longer_by_the_clock_granularity()
    {
        RoundTripEstimate estimate = default;
        for (int i = 0; i < 100; i++)
        {
            estimate.Add(10_000);
        }

        Assert.Equal(10_000 + RoundTripEstimate.Granularity, estimate.Timeout(4));
    }

    [Fact]
    public void A_round_trip_of_no_time_is_a_sample()
    {
        RoundTripEstimate estimate = default;
        estimate.Add(0);
        Assert.True(estimate.HasSample);
        Assert.Equal(0, estimate.Smoothed);
    }
}
