namespace CoAP.NET.Tests.Messaging;

/// <summary>Messages that newer ones replace while they are outstanding: RFC 7641 section 4.5.2.</summary>
public sealed class RenewalTests
{
    [Fact]
    [Rfc("7641-4.5.2-1", "7252-4.2-6")]
    public void A_newer_message_replaces_the_next_retransmission_with_a_new_Message_ID_and_the_same_backoff()
    {
        MessagingRig rig = new();
        Source source = new();
        CoapTransmission transmission = Send(rig, source, CoapMessageType.Confirmable);
        rig.Pass(1);
        source.Next = Message("02");
        rig.Pass(100);
        Assert.Equal(5, rig.Sent.Count);
        Assert.Equal(["01", "02", "02", "02", "02"], rig.Bytes.Select(hex => hex[^2..]));
        Assert.Equal(2, rig.Bytes.Distinct().Count());
        double first = rig.Sent[1].At - rig.Sent[0].At;
        Assert.InRange(rig.Sent[2].At - rig.Sent[1].At, (2 * first) - 0.03, (2 * first) + 0.03);
        Assert.Equal([CoapInboundKind.NotAcknowledged], rig.Events);
        Assert.True(transmission.IsOver);
        Assert.Equal(0, rig.Layer.Outstanding);
        Assert.Equal(0, rig.Ask(_ => CoAP.NET.Messaging.MessageLayer.OutstandingTo(transmission.Channel)));
    }

    [Theory]
    [Rfc("7641-4.5.2-2", "7641-4.5-2")]
    [InlineData("60", 1)]
    [InlineData("70", 0)]
    public void An_acknowledgement_of_a_replaced_message_is_ignored_and_a_Reset_to_it_ends_the_transmission(string head, int outstanding)
    {
        MessagingRig rig = new();
        Source source = new();
        CoapTransmission transmission = Send(rig, source, CoapMessageType.Confirmable);
        string before = rig.LastMid;
        source.Next = Message("02");
        rig.Pass(3.1);
        Assert.NotEqual(before, rig.LastMid);
        rig.Receive(transmission.Channel, $"{head}00{before}");
        Assert.Equal(outstanding, rig.Layer.Outstanding);
        Assert.Equal(outstanding == 1 ? [] : [CoapInboundKind.Reset], rig.Events);
        rig.Receive(transmission.Channel, $"6000{rig.LastMid}");
        Assert.Equal(outstanding == 1 ? [CoapInboundKind.Acknowledged] : [CoapInboundKind.Reset], rig.Events);
        int sent = rig.Sent.Count;
        rig.Pass(300);
        Assert.Equal(sent, rig.Sent.Count);
    }

    [Fact]
    public void A_retransmission_waits_for_a_replacement_message_that_is_being_produced()
    {
        MessagingRig rig = new();
        Source source = new();
        CoapTransmission transmission = Send(rig, source, CoapMessageType.Confirmable);
        source.ReadyAt = 10;
        rig.PassUntil(9.9);
        Assert.Single(rig.Sent);
        rig.PassUntil(10.1);
        Assert.Equal(2, rig.Sent.Count);
        rig.Receive(transmission.Channel, $"6000{rig.LastMid}");
        Assert.Equal([CoapInboundKind.Acknowledged], rig.Events);
    }

    [Fact]
    [Rfc("7641-4.5.1-1")]
    public void Non_confirmable_messages_of_a_source_take_no_NSTART_place_and_a_single_memory_entry()
    {
        MessagingRig rig = new();
        Source source = new();
        CoapChannel channel = rig.Channel();
        CoapTransmission other = rig.Send(channel);
        CoapTransmission transmission = Send(rig, source, CoapMessageType.NonConfirmable, channel);
        string first = rig.LastMid;
        for (int i = 0; i < 3; i++)
        {
            source.Next = Message("02", CoapMessageType.NonConfirmable);
            rig.Offer(new CoapOutbound { Channel = channel, Message = source.Next, Transmission = transmission });
        }

        Assert.Equal(5, rig.Sent.Count);
        Assert.Equal(2, rig.Layer.Outstanding);
        rig.Receive(channel, $"7000{first}");
        Assert.Equal([CoapInboundKind.Reset], rig.Events);
        Assert.Equal(1, rig.Layer.Outstanding);
        rig.Cancel(other);
        Assert.Equal(0, rig.Ask(_ => CoAP.NET.Messaging.MessageLayer.OutstandingTo(channel)));
    }

    [Fact]
    public void A_queued_transmission_whose_source_has_become_empty_sends_nothing()
    {
        MessagingRig rig = new();
        CoapChannel channel = rig.Channel();
        CoapTransmission first = rig.Send(channel);
        Source source = new();
        CoapTransmission second = Send(rig, source, CoapMessageType.Confirmable, channel);
        CoapTransmission third = rig.Send(channel, token: "a3");
        source.IsEmpty = true;
        rig.Receive(channel, $"6000{rig.LastMid}");
        Assert.True(first.IsOver && second.IsOver);
        Assert.Equal(2, rig.Sent.Count);
        Assert.Equal(1, third.Attempts);
    }

    private static CoapMessage Message(string payload, CoapMessageType type = CoapMessageType.Confirmable) =>
        new(CoapCode.Content) { Payload = Wire.Hex(payload), Type = type };

    private static CoapTransmission Send(MessagingRig rig, Source source, CoapMessageType type, CoapChannel? channel = null)
    {
        channel ??= rig.Channel();
        source.Rig = rig;
        CoapTransmission transmission = new(channel, Message("01", type), source) { IsRenewable = true };
        rig.Offer(new CoapOutbound { Channel = channel, Message = transmission.Message, Transmission = transmission });
        return transmission;
    }

    private sealed class Source : ITransmissionOwner
    {
        public MessagingRig? Rig { get; set; }

        public CoapMessage? Next { get; set; }

        public double ReadyAt { get; set; }

        public bool IsEmpty { get; set; }

        public void OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate) =>
            throw new InvalidOperationException("There is no Exchanges stage to tell it.");

        public long MayLeaveAt(CoapTransmission transmission, long now)
        {
            Assert.True(Rig!.Shard.Gate.IsHeldByCurrentThread);
            return now + (long)((ReadyAt - Rig.Seconds) * TimeSpan.TicksPerSecond);
        }

        public CoapMessage? GetNewest(CoapTransmission transmission, long now) => IsEmpty ? null : Next ?? transmission.Message;
    }
}
