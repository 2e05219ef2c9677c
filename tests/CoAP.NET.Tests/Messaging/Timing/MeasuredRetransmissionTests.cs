using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging.Timing;

/// <summary>Messages that wait by measured round-trip times, until they are settled: RFC 7252 sections 4.2, 4.7 and 4.8.2.</summary>
public sealed class MeasuredRetransmissionTests
{
    // A timer fires at its time or up to one slot of the wheel later.
    private const double Slot = 0.0132;

    private readonly MessagingRig _rig = new();

    [Theory]
    [InlineData(0.001, 4)]
    [InlineData(0.1, 4)]
    [InlineData(1, 4)]
    [InlineData(8, 4)]
    [InlineData(40, 4)]
    [InlineData(80, 4)]
    [InlineData(0.1, 0)]
    [InlineData(0.1, 1)]
    [InlineData(1, 7)]
    [Rfc("7252-4.2-6", "7252-4.2-7", "7252-4.8-1")]
    public void Copies_stay_within_max_transmit_span_and_end_within_max_transmit_wait(double roundTrip, int maxRetransmit)
    {
        CoapTransmissionParameters parameters = new()
        {
            RetransmissionTiming = CoapRetransmissionAlgorithm.Fasor,
            MaxRetransmit = maxRetransmit,
            ProbingRate = double.PositiveInfinity
        };
        for (int samples = 0; samples < 12; samples++)
        {
            MessagingRig rig = new(seed: (ulong)samples);
            CoapChannel channel = rig.Channel(parameters: parameters);
            Settle(rig, channel, roundTrip, samples);

            // Two of them: what the first one leaves behind must not spoil the second one.
            for (int i = 0; i < 2; i++)
            {
                rig.Sent.Clear();
                rig.Up.Clear();
                double begin = rig.Seconds;
                double end = 0;
                rig.Handle = _ => end = rig.Seconds - begin;
                rig.Send(channel);
                rig.Pass(parameters.MaxTransmitWait.TotalSeconds + 1);

                Assert.Equal([CoapInboundKind.NotAcknowledged], rig.Events);
                Assert.Single(rig.Bytes.Distinct());
                Assert.InRange(rig.Sent.Count, Math.Min(2, 1 + maxRetransmit), 1 + maxRetransmit);
                Assert.True(rig.Sent[^1].At - begin <= parameters.MaxTransmitSpan.TotalSeconds + Slot,
                    "The last copy is within MAX_TRANSMIT_SPAN.");
                Assert.InRange(end, parameters.AckTimeout.TotalSeconds, parameters.MaxTransmitWait.TotalSeconds + Slot);
                Assert.Equal(0, rig.Layer.Outstanding);
            }
        }
    }

    [Fact]
    public void All_retransmissions_of_a_message_are_sent_however_long_the_previous_messages_took()
    {
        CoapChannel channel = Channel();
        Exchange(_rig, channel, 0.1);
        for (int i = 0; i < 5; i++)
        {
            _rig.Sent.Clear();
            _rig.Send(channel);
            _rig.Pass(100);
            Assert.Equal(5, _rig.Sent.Count);
        }
    }

    [Fact]
    public void Retransmissions_on_a_fast_path_outlast_an_outage_of_some_seconds()
    {
        CoapChannel channel = Channel();
        Settle(_rig, channel, 0.001, 50);

        _rig.Sent.Clear();
        double begin = _rig.Seconds;
        _rig.Send(channel);
        _rig.Pass(100);
        Assert.True(_rig.Sent[1].At - begin < 0.2, "The first copy is quick.");
        Assert.True(_rig.Sent[^1].At - begin > 6, "The last one is not.");
    }

    [Fact]
    public void A_peer_that_acknowledges_after_ACK_TIMEOUT_does_not_fail_on_a_fast_path()
    {
        foreach (int maxRetransmit in new[] { 0, 1, 4 })
        {
            CoapChannel channel = _rig.Channel((ushort)maxRetransmit,
                new() { RetransmissionTiming = CoapRetransmissionAlgorithm.Fasor, MaxRetransmit = maxRetransmit });
            Settle(_rig, channel, 0.001, 50);

            _rig.Up.Clear();
            Exchange(_rig, channel, 1.99);
            Assert.Equal([CoapInboundKind.Acknowledged], _rig.Events);
        }
    }

    [Fact]
    public void The_timeout_adapts_to_a_round_trip_time_that_rises_and_falls()
    {
        CoapChannel channel = Channel();
        Settle(_rig, channel, 0.01, 50);

        Assert.Equal(0, CopiesOf(channel, 0.01));

        // From 10 ms to 5 s: only some messages are sent more than once.
        Assert.True(Enumerable.Range(0, 20).Sum(_ => CopiesOf(channel, 5)) > 0);
        Assert.Equal(0, Enumerable.Range(0, 20).Sum(_ => CopiesOf(channel, 5)));

        // And back: what is lost then is sent again soon.
        Settle(_rig, channel, 0.01, 50);

        _rig.Sent.Clear();
        _rig.Send(channel);
        _rig.Pass(1);
        Assert.True(_rig.Sent.Count > 1);
    }

    [Fact]
    [Rfc("7252-4.7-1")]
    public void NSTART_stays_1_with_measured_retransmission()
    {
        CoapChannel channel = Channel();
        Exchange(_rig, channel, 0.01);
        _rig.Sent.Clear();
        _rig.Send(channel, token: "a1");
        _rig.Send(channel, token: "a2");
        Assert.Single(_rig.Sent);
    }

    [Fact]
    public void Round_trip_measurements_of_a_peer_do_not_affect_other_peers()
    {
        CoapChannel near = Channel();
        Settle(_rig, near, 0.01, 20);

        _rig.Sent.Clear();
        _rig.Send(_rig.Channel(2, new() { RetransmissionTiming = CoapRetransmissionAlgorithm.Fasor }));
        _rig.Pass(1.9);
        Assert.Single(_rig.Sent);
    }

    [Fact]
    public void The_retransmission_algorithm_may_change_between_messages_and_while_one_waits()
    {
        CoapChannel channel = _rig.Channel();
        Exchange(_rig, channel, 0.1);
        Assert.Null(TimingOf(channel));
        channel.Parameters = channel.Parameters with { RetransmissionTiming = CoapRetransmissionAlgorithm.Fasor };
        _rig.Sent.Clear();
        _rig.Send(channel);
        Assert.NotNull(TimingOf(channel));
        _rig.Pass(1);
        channel.Parameters = CoapTransmissionParameters.Default;
        _rig.Pass(100);
        Assert.Equal(5, _rig.Sent.Count);
        Assert.Equal(0, _rig.Layer.Outstanding);
    }

    [Fact]
    public void By_default_measured_timeouts_apply_only_to_the_blocks_of_bodies()
    {
        CoapChannel channel = _rig.Channel();
        Settle(_rig, channel, 0.1, 20);
        _rig.Sent.Clear();
        double begin = _rig.Seconds;
        _rig.Send(channel, isOfBody: true);
        _rig.Pass(100);
        Assert.InRange(_rig.Sent[1].At - begin, 0.1, 0.5);
        Assert.Equal(5, _rig.Sent.Count);

        // The slow end of that block changes nothing for a single message.
        foreach (bool waits in new[] { true, false })
        {
            _rig.Sent.Clear();
            begin = _rig.Seconds;
            _rig.Send(channel);
            _rig.Pass(waits ? 1.99 : 100);
            Assert.Equal(waits ? 1 : 5, _rig.Sent.Count);
            _rig.Pass(100);
        }

        CoapChannel plain = _rig.Channel(2, new() { RetransmissionTiming = CoapRetransmissionAlgorithm.Rfc7252 });
        Settle(_rig, plain, 0.1, 20);
        _rig.Sent.Clear();
        _rig.Send(plain, isOfBody: true);
        _rig.Pass(1.99);
        Assert.Single(_rig.Sent);
    }

    [Fact]
    public void By_default_only_the_round_trip_time_of_a_peer_is_stored()
    {
        CoapChannel channel = _rig.Channel();
        Exchange(_rig, channel, 0.1);
        Exchange(_rig, channel, 10);
        Assert.Null(TimingOf(channel));
    }

    [Fact]
    public void The_timing_state_of_a_peer_is_small()
    {
        const int Peers = 1000;
        FasorTiming[] all = new FasorTiming[Peers];
        long least = Allocations.Least(() =>
        {
            for (int i = 0; i < Peers; i++)
            {
                all[i] = new FasorTiming();
            }
        });

        Assert.InRange(least / Peers, 16, 56);
        GC.KeepAlive(all);
    }

    [Fact]
    public void An_undefined_RetransmissionTiming_is_refused() =>
        Assert.Throws<ArgumentOutOfRangeException>(
            () => new CoapTransmissionParameters { RetransmissionTiming = (CoapRetransmissionAlgorithm)9 });

    /// <summary>Random paths with loss and changing delay: the bounds hold, and every message ends.</summary>
    [Fact]
    [Trait("Category", "Campaign")]
    public void Measured_retransmission_stays_within_its_bounds_on_random_paths()
    {
        for (int round = 0; round < Campaign.Rounds(20); round++)
        {
            Random random = new(Campaign.Seed + round);
            MessagingRig rig = new(seed: (ulong)(Campaign.Seed + round));
            CoapTransmissionParameters parameters = new()
            {
                RetransmissionTiming = CoapRetransmissionAlgorithm.Fasor,
                ProbingRate = double.PositiveInfinity,
                NStart = random.Next(1, 4)
            };
            CoapChannel channel = rig.Channel(parameters: parameters);
            double delay = Math.Pow(10, random.NextDouble() * 4 - 3);
            double loss = random.NextDouble() * 0.5;
            for (int i = 0; i < 40; i++)
            {
                delay = random.Next(10) == 0 ? Math.Pow(10, random.NextDouble() * 4 - 3) : delay;
                rig.Sent.Clear();
                rig.Up.Clear();
                CoapTransmission transmission = rig.Send(channel);
                double begin = rig.Seconds;
                double answerAt = double.PositiveInfinity;
                for (int copies = 0; !transmission.IsOver; copies = rig.Sent.Count)
                {
                    if (rig.Sent.Count > copies && random.NextDouble() > loss)
                    {
                        answerAt = Math.Min(answerAt, rig.Seconds + delay);
                    }

                    double next = transmission.Due / (double)TimeSpan.TicksPerSecond - (rig.Clock.Now / (double)TimeSpan.TicksPerSecond)
                        + Slot;
                    rig.Pass(Math.Max(0, Math.Min(answerAt - rig.Seconds, next)));
                    if (rig.Seconds >= answerAt - 1e-6)
                    {
                        rig.Receive(channel, $"6000{rig.LastMid}");
                    }
                }

                Assert.InRange(rig.Sent.Count, 1, 5);
                Assert.True(rig.Sent[^1].At - begin <= 45 + Slot);
                Assert.True(rig.Seconds - begin <= 93 + (2 * Slot));
                Assert.InRange(transmission.Timeout, 0, FasorTiming.LongestTimeout * 3 / 2);
                rig.Pass(random.NextDouble() * (random.Next(10) == 0 ? 600 : 1));
            }

            Assert.Equal(0, rig.Layer.Outstanding);
            Assert.False(rig.CalledUnderLock);
        }
    }

    private static FasorTiming? TimingOf(CoapChannel channel) => channel.Messaging.Sending!.Timing;

    private CoapChannel Channel() =>
        _rig.Channel(parameters: new() { RetransmissionTiming = CoapRetransmissionAlgorithm.Fasor, ProbingRate = double.PositiveInfinity });

    private int CopiesOf(CoapChannel channel, double roundTrip)
    {
        _rig.Sent.Clear();
        Exchange(_rig, channel, roundTrip);
        return _rig.Sent.Count - 1;
    }

    private static void Settle(MessagingRig rig, CoapChannel channel, double roundTrip, int count)
    {
        for (int i = 0; i < count; i++)
        {
            Exchange(rig, channel, roundTrip);
        }
    }

    private static void Exchange(MessagingRig rig, CoapChannel channel, double roundTrip)
    {
        rig.Send(channel);
        string mid = rig.LastMid;
        rig.Pass(roundTrip);
        rig.Receive(channel, $"6000{mid}");
    }
}
