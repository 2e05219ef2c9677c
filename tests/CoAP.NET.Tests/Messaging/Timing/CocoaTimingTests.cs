using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging.Timing;

/// <summary>draft-ietf-core-cocoa-03 section 4, computed by hand.</summary>
public sealed class CocoaTimingTests : TimingTest
{
    private readonly CocoaTiming _timing = new();

    private protected override PeerTiming Timing => _timing;

    [Theory]
    [InlineData(1, 2)]
    [InlineData(2, 4)]
    [InlineData(3, 6)]
    [InlineData(100, 32)]
    public void Without_a_measurement_each_message_in_parallel_waits_longer(int interactions, double wait) =>
        Assert.Equal(wait, Waits(1, interactions)[0]);

    [Fact]
    public void Strong_samples_count_half_and_weak_ones_a_quarter()
    {
        // E_strong = 0.5 + 4 * 0.25 = 1.5; RTO = 0.5 * 1.5 + 0.5 * 2.
        Answer(0.5);
        Assert.Equal(1.75, Waits(1)[0]);

        // RTTVAR = 3/4 * 0.25; E_strong = 0.5 + 4 * 0.1875 = 1.25; RTO = 0.5 * 1.25 + 0.5 * 1.75.
        Answer(0.5);
        Assert.Equal(1.5, Waits(1)[0]);

        // Example A.1 of the draft: E_weak = 2 + 1 * 1 = 3; RTO = 0.25 * 3 + 0.75 * 1.5.
        Answer(2, retransmissions: 1);
        Assert.Equal(1.875, Waits(1)[0]);

        // RTTVAR = 3/4 * 1; E_weak = 2.75; RTO = 0.25 * 2.75 + 0.75 * 1.875.
        Answer(2, retransmissions: 2);
        Assert.Equal(2.09375, Waits(1)[0]);

        // After the third retransmission nothing is learned.
        Answer(9, retransmissions: 3);
        Assert.Equal(2.09375, Waits(1)[0]);
    }

    [Fact]
    public void Short_waits_grow_threefold_and_long_ones_by_half()
    {
        Settle(0.2868928);
        double[] waits = Waits(6);
        Assert.Equal([0.3, 0.9, 2.7, 5.4, 8.1, 12.15], waits.Select(wait => Math.Round(wait, 4)));
    }

    [Fact]
    public void Waits_of_long_time_outs_grow_by_half_up_to_32_s()
    {
        // E_strong = 2 + 4 * 1 = 6; RTO = 0.5 * 6 + 0.5 * 2.
        Answer(2);
        Assert.Equal([4, 6, 9, 13.5, 20.25, 30.375, 32, 32], Waits(8));
    }

    [Fact]
    public void A_short_time_out_ages_to_double_after_sixteen_times_itself()
    {
        Settle(0.2868928);
        double begin = Now;
        Now = begin + (16 * 0.3) - 0.01;
        Assert.Equal(0.3, Waits(1)[0], 4);
        Now = begin + (16 * 0.3) + 0.01;
        Assert.Equal(0.6, Waits(1)[0], 4);

        // 16 * 0.6 s after that, and then no more: it is above a second.
        Now = begin + (16 * 0.9) + 0.01;
        Assert.Equal(1.2, Waits(1)[0], 4);
        Now += 10_000;
        Assert.Equal(1.2, Waits(1)[0], 4);
    }

    [Fact]
    public void A_long_time_out_ages_towards_two_seconds()
    {
        Answer(2);
        Now += 16.1;
        Assert.Equal(3, Waits(1)[0]);
        Now += 10_000;
        Assert.Equal(3, Waits(1)[0]);
    }

    [Fact]
    public void A_message_without_an_answer_teaches_nothing()
    {
        Answer(0.5);
        _timing.OnUnanswered(Ticks(90), Ticks(Now));
        Assert.Equal(1.75, Waits(1)[0]);
    }

    private void Settle(double roundTrip)
    {
        // RTTVAR vanishes, the granularity of 13.1072 ms stays.
        for (int i = 0; i < 200; i++)
        {
            Answer(roundTrip);
        }
    }
}
