using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging.Timing;

/// <summary>draft-ietf-core-fasor-02 section 4, computed by hand in seconds. Nothing is dithered.</summary>
public sealed class FasorTimingTests
{
    private readonly TransmissionTimes _times = new(CoapTransmissionParameters.Default);
    private readonly FasorTiming _timing = new();
    private readonly CoapChannel _channel = new MessagingRig().Channel();
    private RoundTripEstimate _roundTrip;
    private double _now = 1000;

    [Fact]
    public void The_FASOR_timeout_stays_between_its_lower_bound_and_60_seconds()
    {
        for (int i = 0; i < 50; i++)
        {
            Answer(0.001);
        }

        Assert.Equal(0.0625, Waits(1)[0]);
        Assert.Equal(60, Waits(30)[^1]);
        Answer(150);
        Assert.Equal(60, Waits(1)[0]);
    }

    [Fact]
    public void The_FASOR_timeout_is_ACK_TIMEOUT_before_the_first_sample() => Assert.Equal([2, 4, 8, 16], Waits(4));

    [Fact]
    public void The_FASOR_timeout_is_fast_after_a_message_without_retransmissions()
    {
        Answer(0.1);
        Assert.Equal([0.3, 0.6, 1.2, 2.4, 4.8], Waits(5));
    }

    [Fact]
    public void The_FASOR_series_is_fast_slow_fast_after_a_message_with_retransmissions()
    {
        Answer(0.1);
        Answer(1, retransmissions: 2);
        Assert.Equal([0.3, 1.5, 0.6, 1.2, 2.4], Waits(5));
    }

    [Fact]
    public void A_slow_FASOR_timeout_is_no_shorter_than_the_exponential_backoff()
    {
        Answer(0.1);
        Answer(0.31, retransmissions: 1);
        Assert.Equal([0.3, 0.6, 0.6], Waits(3));
    }

    [Fact]
    public void The_FASOR_series_is_slow_fast_after_a_second_retransmitted_message_until_a_clear_sample()
    {
        Answer(0.1);
        Answer(1, retransmissions: 2);
        Answer(2, retransmissions: 2);
        Assert.Equal([3, 0.3, 0.6, 1.2, 2.4], Waits(5));
        Answer(4, retransmissions: 1);
        Assert.Equal([6, 0.3], Waits(2));
        Assert.Equal(FasorSeries.SlowFast, _timing.Series);

        // RTTVAR = 3/4 * 0.05; RTO = 0.1 + 4 * 0.0375.
        Answer(0.1);
        Assert.Equal([0.25, 0.5, 1], Waits(3));
    }

    [Fact]
    public void An_unanswered_message_counts_as_a_retransmitted_message_in_FASOR()
    {
        Answer(0.1);
        _timing.OnUnanswered(Ticks(10), Ticks(_now));
        Assert.Equal([0.3, 15, 0.6], Waits(3));
        _timing.OnUnanswered(Ticks(90), Ticks(_now));
        Assert.Equal([60, 0.3], Waits(2));
    }

    [Fact]
    public void A_measurement_older_than_EXCHANGE_LIFETIME_does_not_shorten_the_timeout()
    {
        Answer(0.1);
        Answer(1, retransmissions: 2);
        _now += 247.1;
        Assert.Equal([2, 4], Waits(2));
        Assert.Equal(FasorSeries.Fast, _timing.Series);
    }

    // A message that is answered after a while, after some further copies.
    private void Answer(double elapsed, int retransmissions = 0)
    {
        if (retransmissions == 0)
        {
            _roundTrip.Add(Ticks(elapsed));
        }

        _timing.OnAnswered(Ticks(elapsed), retransmissions, Ticks(_now));
    }

    // The waits of a message that nobody answers.
    private double[] Waits(int count)
    {
        CoapTransmission transmission = new(_channel, new CoapMessage(CoapCode.Get), null) { Attempts = 1 };
        double[] waits = new double[count];
        transmission.Timeout = _timing.FirstWait(transmission, _times, _roundTrip, 1, Ticks(_now));
        waits[0] = Seconds(transmission.Timeout);
        for (int i = 1; i < count; i++)
        {
            transmission.Attempts++;
            transmission.Timeout = _timing.NextWait(transmission, _times, _roundTrip, 1, Ticks(_now));
            waits[i] = Seconds(transmission.Timeout);
        }

        return waits;
    }

    private static double Seconds(long ticks) => ticks / (double)TimeSpan.TicksPerSecond;

    private static long Ticks(double seconds) => (long)Math.Round(seconds * TimeSpan.TicksPerSecond);
}
