using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Messaging;

/// <summary>Piggybacked and separate responses, seen from the one who answers: RFC 7252 sections 4.2, 5.2.1 and 5.2.2.</summary>
public sealed class AcknowledgementTests
{
    private readonly MessagingRig _rig = new();

    [Fact]
    [Rfc("7252-5.2.1-1", "7252-4.2-3", "7252-5.3.1-1")]
    public void A_quick_response_is_piggybacked_on_the_acknowledgement()
    {
        _rig.Handle = item => _rig.Reply(item, new CoapMessage(CoapCode.Content) { Payload = "hi"u8.ToArray() });
        _rig.Receive(_rig.Channel(), "48017d340001020304050607");
        _rig.Pass(300);
        Assert.Equal(["68457d340001020304050607ff6869"], _rig.Bytes);
        Assert.Equal(0, _rig.Layer.Outstanding);
    }

    [Fact]
    [Rfc("7252-4.2-1", "7252-5.2.2-1")]
    public void A_slow_request_gets_an_empty_acknowledgement_and_a_separate_response()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, "41017d3471");
        _rig.Pass(10);
        Assert.Equal("60007d34", Assert.Single(_rig.Bytes));
        Assert.InRange(_rig.Sent[0].At, 0.5, 0.52);

        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.Content));
        string response = _rig.Sent[1].Hex;
        response.Begins("4145");
        response.Ends("71");
        _rig.Receive(channel, "6000" + _rig.LastMid);
        _rig.Pass(300);
        Assert.Equal(2, _rig.Sent.Count);
        Assert.Equal([CoapInboundKind.Acknowledged], _rig.Events);
    }

    [Theory]
    [InlineData("6000")]
    [InlineData("6045")]
    [InlineData("7000")]
    [Rfc("7252-5.2.2-3")]
    public void A_matching_acknowledgement_or_Reset_ends_the_retransmission_of_a_separate_response(string head)
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, "41017d3471");
        _rig.Pass(1);
        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.Content));
        _rig.Receive(channel, head + _rig.LastMid + (head == "6045" ? "ff31" : string.Empty));
        _rig.Pass(300);

        Assert.Equal(2, _rig.Sent.Count);
        Assert.Equal([head == "7000" ? CoapInboundKind.Reset : CoapInboundKind.Acknowledged], _rig.Events);
    }

    [Fact]
    public void An_unacknowledged_separate_response_is_retransmitted_and_finally_fails()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, "41017d3471");
        _rig.Pass(1);
        Waiter owner = new();
        CoapMessage message = new(CoapCode.Content) { Token = new CoapToken([0x71]) };
        _rig.Offer(new CoapOutbound
        {
            Channel = channel,
            Received = _rig.Up[0].Received,
            Message = message,
            Transmission = new CoapTransmission(channel, message, owner)
        });
        _rig.Pass(100);

        Assert.Equal(6, _rig.Sent.Count);
        Assert.Single(_rig.Bytes.Skip(1).Distinct());
        CoapInbound end = Assert.Single(_rig.Up, item => item.Kind == CoapInboundKind.NotAcknowledged);
        Assert.Same(owner, end.Transmission!.Owner);
    }

    [Fact]
    public void Separate_responses_do_not_wait_for_one_another()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, "41017d3471");
        _rig.Receive(channel, "41017d3572");
        _rig.Pass(1);
        _rig.Sent.Clear();
        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.Content));
        _rig.Reply(_rig.Up[1], new CoapMessage(CoapCode.Content));
        Assert.Equal(2, _rig.Sent.Count);
    }

    [Fact]
    public void A_second_reply_is_ignored_and_counted()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, "41017d3471");
        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.Content));
        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.NotFound));
        _rig.Answer(_rig.Up[0], CoapOutboundAction.Reject);
        _rig.Answer(_rig.Up[0], CoapOutboundAction.Finish);
        _rig.Answer(_rig.Up[0], CoapOutboundAction.Acknowledge);
        Assert.Single(_rig.Sent);
        Assert.Equal(1, _rig.Counters[CoapCounter.LateResponses]);
    }

    [Theory]
    [InlineData(CoapOutboundAction.Acknowledge, "60007d34")]
    [InlineData(CoapOutboundAction.Finish, "60007d34")]
    [InlineData(CoapOutboundAction.Reject, "70007d34")]
    public void A_Confirmable_message_is_acknowledged_or_rejected_at_once_on_demand(CoapOutboundAction kind, string expected)
    {
        _rig.Receive(_rig.Channel(), "41017d3471");
        _rig.Answer(_rig.Up[0], kind);
        _rig.Pass(300);
        Assert.Equal([expected], _rig.Bytes);
    }

    [Theory]
    [InlineData(CoapOutboundAction.Acknowledge)]
    [InlineData(CoapOutboundAction.Finish)]
    [InlineData(CoapOutboundAction.Reject)]
    [Rfc("7252-4.3-1")]
    public void A_Non_confirmable_message_is_neither_acknowledged_nor_rejected(CoapOutboundAction kind)
    {
        _rig.Receive(_rig.Channel(), "51017d3471");
        _rig.Answer(_rig.Up[0], kind);
        _rig.Pass(300);
        Assert.Empty(_rig.Sent);
    }

    [Fact]
    public void A_Reset_after_the_acknowledgement_is_not_sent()
    {
        _rig.Receive(_rig.Channel(), "41457d3471");
        _rig.Pass(1);
        _rig.Answer(_rig.Up[0], CoapOutboundAction.Reject);
        Assert.Equal(["60007d34"], _rig.Bytes);
        Assert.Equal(0, _rig.Layer.Memory.Running);
    }

    [Fact]
    public void Without_a_piggyback_window_every_request_is_acknowledged_at_once()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { PiggybackWindow = TimeSpan.Zero });
        _rig.Handle = item => _rig.Reply(item, new CoapMessage(CoapCode.Content));
        _rig.Receive(channel, "41017d3471");
        Assert.Equal(2, _rig.Sent.Count);
        Assert.Equal("60007d34", _rig.Sent[0].Hex);
        _rig.Sent[1].Hex.Begins("4145");
    }

    [Fact]
    public void A_handler_may_answer_after_EXCHANGE_LIFETIME()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, "41017d3471");
        _rig.Pass(300);
        Assert.Equal(0, _rig.Layer.Memory.Running);
        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.Content));
        _rig.Sent[^1].Hex.Begins("4145");
    }

    [Fact]
    public void A_request_that_a_linked_block_declines_gets_5_03_and_is_not_executed_later()
    {
        CoapChannel channel = _rig.Channel();
        _rig.TakesUp = false;
        _rig.Receive(channel, "41017d3471");
        Assert.Equal(["61a37d3471d10105"], _rig.Bytes);
        Assert.Equal(1, _rig.Counters[CoapCounter.Busy]);

        _rig.TakesUp = true;
        _rig.Receive(channel, "41017d3471");
        Assert.Equal(["61a37d3471d10105", "61a37d3471d10105"], _rig.Bytes);
        Assert.Empty(_rig.Up);
    }

    [Fact]
    public void A_Confirmable_response_that_a_linked_block_declines_is_not_acknowledged()
    {
        CoapChannel channel = _rig.Channel();
        _rig.TakesUp = false;
        _rig.Receive(channel, "41457d3471");
        _rig.Pass(1);
        Assert.Empty(_rig.Sent);

        _rig.TakesUp = true;
        _rig.Receive(channel, "41457d3471");
        Assert.Single(_rig.Up);
    }

    private sealed class Waiter : ITransmissionOwner
    {
        public void OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate) =>
            throw new InvalidOperationException("There is no Exchanges stage to tell it.");
    }
}
