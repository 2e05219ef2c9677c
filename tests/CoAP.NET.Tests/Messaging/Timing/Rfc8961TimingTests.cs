using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging.Timing;

/// <summary>RFC 6298 and RFC 8961 section 4, computed by hand.</summary>
public sealed class Rfc8961TimingTests : BoundedTimingTest
{
    private readonly Rfc8961Timing _timing = new();

    private protected override PeerTiming Timing => _timing;

    [Theory]
    [InlineData(2, 2)]
    [InlineData(5, 5)]
    [InlineData(0.2, 1)]
    public void Before_anything_is_known_it_is_ack_timeout_and_at_least_a_second(double ackTimeout, double wait)
    {
        Times = new PeerTimes(new CoapTransmissionParameters { AckTimeout = TimeSpan.FromSeconds(ackTimeout) });
        Assert.Equal([wait, 2 * wait, 4 * wait], Waits(3));
    }

    [Fact]
    public void A_clear_sample_gives_srtt_and_four_variations()
    {
        Answer(0.1);
        Assert.Equal([0.3, 0.6, 1.2, 2.4, 4.8], Waits(5));
    }

    [Fact]
    public void The_back_off_stays_until_a_clear_sample()
    {
        Answer(0.1);
        Waits(3);
        Assert.Equal(2, _timing.Doublings);
        Answer(1.5, retransmissions: 2);
        Assert.Equal([1.2, 2.4], Waits(2));
        Assert.Equal(3, _timing.Doublings);
        _timing.OnUnanswered(Ticks(3), Ticks(Now));
        Assert.Equal(3, _timing.Doublings);

        // RTTVAR = 3/4 * 0.05; RTO = 0.1 + 4 * 0.0375.
        Answer(0.1);
        Assert.Equal(0.25, Waits(1)[0]);
    }

    [Fact]
    public void Messages_in_parallel_that_expire_together_double_once()
    {
        Answer(0.1);
        CoAP.NET.Shard.CoapTransmission[] both = [Sent(), Sent()];
        foreach (CoAP.NET.Shard.CoapTransmission transmission in both)
        {
            transmission.Attempts++;
            _timing.NextWait(transmission, Times, RoundTrip, 1, Ticks(Now));
        }

        Assert.Equal(1, _timing.Doublings);
    }

    [Fact]
    public void What_is_older_than_exchange_lifetime_does_not_shorten_the_wait()
    {
        Answer(0.1);
        Waits(4);
        Now += 247.1;
        Assert.Equal(2, Waits(1)[0]);
        Answer(5);
        Now += 1000;
        Assert.True(Waits(1)[0] > 5);
    }

    private CoAP.NET.Shard.CoapTransmission Sent()
    {
        CoAP.NET.Shard.CoapTransmission transmission = new(new MessagingRig().Channel(), new CoapMessage(CoapCode.Get), null)
        {
            Attempts = 1
        };
        transmission.Timeout = _timing.FirstWait(transmission, Times, RoundTrip, 1, 1, Ticks(Now));
        return transmission;
    }
}
