using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Messaging;

/// <summary>Messages of our own until they are settled: RFC 7252 section 4.2.</summary>
public sealed class RetransmissionTests
{
    // A timer fires at its time or up to one slot of the wheel later.
    private const double Slot = 0.0132;

    [Theory]
    [InlineData(2, 1.5, 4)]
    [InlineData(1, 1.5, 4)]
    [InlineData(2, 1.0, 2)]
    [InlineData(5, 1.5, 4)]
    [InlineData(2, 1.5, 0)]
    [Rfc("7252-4.2-6", "7252-4.2-7", "7252-4.8-1")]
    public void Retransmissions_follow_the_timing_of_RFC_7252(double ackTimeout, double factor, int maxRetransmit)
    {
        CoapTransmissionParameters parameters = new()
        {
            AckTimeout = FromSeconds(ackTimeout),
            AckRandomFactor = factor,
            MaxRetransmit = maxRetransmit,
        };
        List<double> firstWaits = [];
        MessagingRig rig = new();
        for (int i = 0; i < 50; i++)
        {
            CoapChannel channel = rig.Channel((ushort)(1000 + i), parameters);
            rig.Sent.Clear();
            rig.Up.Clear();
            double begin = rig.Seconds;
            double end = 0;
            rig.Handle = _ => end = rig.Seconds - begin;
            rig.Send(channel);
            rig.Pass(parameters.MaxTransmitWait.TotalSeconds + 1);

            double[] at = [.. rig.Sent.Select(sent => sent.At - begin)];
            Assert.Equal(maxRetransmit + 1, at.Length);
            Assert.Single(rig.Bytes.Distinct());
            Assert.Equal(0, at[0]);
            double first = maxRetransmit > 0 ? at[1] : end;
            Assert.InRange(first, ackTimeout, (ackTimeout * factor) + Slot);
            for (int k = 1; k <= maxRetransmit; k++)
            {
                Assert.InRange(at[k], (first - Slot) * (Math.Pow(2, k) - 1), (first * (Math.Pow(2, k) - 1)) + Slot);
                Assert.True(at[k] - at[k - 1] >= ackTimeout);
            }

            Assert.InRange(end, (first - Slot) * (Math.Pow(2, maxRetransmit + 1) - 1),
                (first * (Math.Pow(2, maxRetransmit + 1) - 1)) + Slot);
            Assert.True(at[^1] <= parameters.MaxTransmitSpan.TotalSeconds + Slot);
            Assert.Equal([CoapInboundKind.NotAcknowledged], rig.Events);
            firstWaits.Add(first);
        }

        double spread = ackTimeout * (factor - 1);
        Assert.True(firstWaits.Max() - firstWaits.Min() >= spread * 0.8, "The first wait is spread over its whole range.");
        Assert.Equal(0, rig.Layer.Outstanding);
        Assert.Equal(50, rig.Counters[CoapCounter.TransmissionsGivenUp]);
        Assert.Equal(50 * maxRetransmit, rig.Counters[CoapCounter.Retransmissions]);
    }

    [Fact]
    [Rfc("7252-5.2.1-1")]
    public void A_piggybacked_response_ends_the_retransmission_and_is_passed_on_with_its_request()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        CoapTransmission request = rig.Send(channel);
        rig.Receive(channel, $"6145{rig.LastMid}a1ff31");
        rig.Pass(300);

        Assert.Single(rig.Sent);
        CoapInbound up = Assert.Single(rig.Up);
        Assert.Equal(CoapInboundKind.Message, up.Kind);
        Assert.Same(request, up.Transmission);
        Assert.Null(up.Received);
        Assert.True(request.IsOver);
    }

    [Fact]
    public void An_empty_acknowledgement_ends_the_retransmission_and_is_reported()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        rig.Send(channel);
        rig.Pass(10);
        int copies = rig.Sent.Count;
        rig.Receive(channel, "6000" + rig.LastMid);
        rig.Pass(300);

        Assert.Equal(copies, rig.Sent.Count);
        Assert.Equal([CoapInboundKind.Acknowledged], rig.Events);
    }

    [Fact]
    [Rfc("7252-4.2-8")]
    public void A_Reset_ends_the_retransmission_and_is_reported()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        rig.Send(channel);
        rig.Receive(channel, "7000" + rig.LastMid);
        rig.Pass(300);

        Assert.Single(rig.Sent);
        Assert.Equal([CoapInboundKind.Reset], rig.Events);
    }

    [Theory]
    [InlineData("6145{0}99ff31", "BAD-26: another token")]
    [InlineData("6045{0}ff31", "no token")]
    [InlineData("6500{0}3434323238", "BAD-23: an Empty acknowledgement with a token")]
    [InlineData("6001{0}", "a request in an acknowledgement")]
    [InlineData("6021{0}", "a reserved class")]
    [InlineData("7045{0}", "a reset that is not Empty")]
    [InlineData("7000{0}ff", "a malformed reset")]
    [Rfc("7252-4.2-5", "7252-5.3.2-2")]
    public void An_invalid_acknowledgement_is_ignored_and_the_retransmission_continues(string reply, string why)
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        rig.Send(channel);
        rig.Receive(channel, string.Format(System.Globalization.CultureInfo.InvariantCulture, reply, rig.LastMid));
        rig.Pass(50);

        Assert.True(rig.Sent.Count == 5, why);
        Assert.True(rig.Up.Count == 0, why);
    }

    [Fact]
    [Rfc("7252-4.4-2")]
    public void An_acknowledgement_from_another_port_is_ignored()
    {
        MessagingRig rig = new();
        rig.Send(rig.Channel(5001));
        rig.Receive(rig.Channel(5002), "6000" + rig.LastMid);
        rig.Pass(50);
        Assert.Equal(5, rig.Sent.Count);
        Assert.Empty(rig.Up);
    }

    [Fact]
    [Rfc("7252-4.2-10", "7252-5.2.2-4")]
    public void A_separate_response_before_the_acknowledgement_stops_the_copies()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        CoapTransmission request = rig.Send(channel);
        string mid = rig.LastMid;
        rig.Handle = item =>
        {
            if (item.Received is not null)
            {
                rig.Cancel(request);
                rig.Answer(item, CoapOutboundAction.Acknowledge);
            }
        };
        rig.Receive(channel, "41450001a1ff31");
        rig.Receive(channel, "6000" + mid);
        rig.Pass(300);

        Assert.Equal(2, rig.Sent.Count);
        Assert.Equal("60000001", rig.Sent[1].Hex);
        Assert.Empty(rig.Events);

        // It acknowledges what was sent, though nobody waits for that any more.
        Assert.Equal(0, rig.Counters[CoapCounter.UnmatchedAcknowledgements]);
    }

    [Fact]
    [Rfc("7252-4.2-10")]
    public void Cancelling_a_request_ends_the_retransmission_and_reports_nothing()
    {
        MessagingRig rig = new();
        CoapTransmission request = rig.Send(rig.Channel());
        rig.Pass(4);
        int copies = rig.Sent.Count;
        rig.Cancel(request);
        rig.Cancel(request);
        rig.Pass(300);

        Assert.Equal(copies, rig.Sent.Count);
        Assert.Empty(rig.Up);
        Assert.Equal(0, rig.Layer.Outstanding);
    }

    [Fact]
    public void A_message_cancelled_before_it_reaches_the_messaging_layer_is_not_sent()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        CoapMessage message = new(CoapCode.Get);
        CoapTransmission transmission = new(channel, message, null);
        rig.Cancel(transmission);
        rig.Offer(new CoapOutbound { Channel = channel, Message = message, Transmission = transmission });
        rig.Pass(10);
        Assert.Empty(rig.Sent);
    }

    [Fact]
    [Rfc("7252-4.2-11")]
    public void Port_unreachable_fails_only_the_message_that_it_quotes()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        CoapTransmission request = rig.Send(channel);
        byte[] quoted = Wire.Hex(rig.Sent[0].Hex);

        byte[] other = [.. quoted];
        other[3] ^= 1;
        rig.Inbound.Unreachable(channel, other);
        rig.Inbound.Unreachable(channel, quoted.AsSpan(0, 3));
        byte[] reply = [.. quoted];
        reply[0] |= 0x20;
        rig.Inbound.Unreachable(channel, reply);
        rig.Inbound.Unreachable(rig.Channel(9), quoted);
        Assert.Empty(rig.Up);

        rig.Inbound.Unreachable(channel, quoted);
        CoapInbound up = Assert.Single(rig.Up);
        Assert.Equal(CoapInboundKind.Unreachable, up.Kind);
        Assert.Same(request, up.Transmission);
        Assert.Equal(1, rig.Counters[CoapCounter.PortUnreachable]);
        rig.Pass(300);
        Assert.Single(rig.Sent);
    }

    [Fact]
    public void A_Reset_to_a_Non_confirmable_message_is_reported_within_NON_LIFETIME()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        rig.Send(channel, CoapMessageType.NonConfirmable, CoapCode.Content);
        string mid = rig.LastMid;
        rig.Pass(100);
        rig.Receive(channel, "6000" + mid);
        Assert.Empty(rig.Up);
        rig.Receive(channel, "7000" + mid);
        Assert.Equal([CoapInboundKind.Reset], rig.Events);
    }

    [Fact]
    public void An_outgoing_ping_is_answered_by_a_Reset()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        rig.Send(channel, code: CoapCode.Empty, token: "");
        Assert.Equal("4000" + rig.LastMid, rig.Sent[0].Hex);
        rig.Receive(channel, "7000" + rig.LastMid);
        Assert.Equal([CoapInboundKind.Reset], rig.Events);
    }

    [Fact]
    public void A_message_that_was_declined_before_encoding_is_encoded_for_its_retransmission()
    {
        MessagingRig rig = new() { Outgoing = _ => false };
        rig.Send(rig.Channel());
        Assert.Empty(rig.Sent);
        rig.Outgoing = _ => true;
        rig.Pass(50);
        Assert.Equal(4, rig.Sent.Count);
        Assert.Single(rig.Bytes.Distinct());
    }

    [Fact]
    public void A_late_clock_does_not_shorten_the_intervals_between_retransmissions()
    {
        MessagingRig rig = new();
        rig.Send(rig.Channel());
        rig.Clock.Now += 40 * TimeSpan.TicksPerSecond;
        rig.Shard.Advance(rig.Clock.Now);
        rig.Pass(200);
        double[] gaps = [.. rig.Sent.Zip(rig.Sent.Skip(1), (left, right) => right.At - left.At)];
        Assert.Equal(4, gaps.Length);
        Assert.All(gaps, gap => Assert.True(gap >= 2));
    }
}
