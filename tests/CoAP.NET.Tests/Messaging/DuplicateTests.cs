using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Messaging;

/// <summary>RFC 7252 section 4.5.</summary>
public sealed class DuplicateTests
{
    private const string Post = "41027d3471ff41";
    private const string NonPost = "51027d3471ff41";
    private readonly MessagingRig _rig = new();
    private int _handled;

    public DuplicateTests()
    {
        _rig.Handle = item =>
        {
            if (item.Message?.Code.IsRequest == true)
            {
                _handled++;
                _rig.Reply(item, new CoapMessage(CoapCode.Changed) { Payload = new[] { (byte)('0' + _handled) } });
            }
        };
    }

    [Fact]
    [Rfc("7252-4.5-1", "7252-4.2-3")]
    public void A_duplicate_Confirmable_request_is_answered_from_memory_within_EXCHANGE_LIFETIME()
    {
        CoapChannel channel = _rig.Channel();
        foreach (double at in new[] { 0, 1, 60, 240, 246.9 })
        {
            _rig.PassUntil(at);
            _rig.Receive(channel, Post);
        }

        Assert.Equal(Enumerable.Repeat("61447d3471ff31", 5), _rig.Bytes);
        Assert.Equal(1, _handled);
        Assert.Equal(4, _rig.Counters[CoapCounter.Duplicates]);
        Assert.False(_rig.CalledUnderLock);
    }

    [Fact]
    [Rfc("7252-4.5-1")]
    public void A_copy_of_a_request_after_EXCHANGE_LIFETIME_is_a_new_request()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, Post);
        _rig.PassUntil(247.1);
        _rig.Receive(channel, Post);

        Assert.Equal(2, _handled);
        Assert.Equal(["61447d3471ff31", "61447d3471ff32"], _rig.Bytes);
        Assert.Equal(0, _rig.Counters[CoapCounter.Duplicates]);
    }

    [Fact]
    [Rfc("7252-4.5-1")]
    public void EXCHANGE_LIFETIME_depends_on_the_transmission_parameters_of_the_peer()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { AckTimeout = FromSeconds(5) });
        _rig.Receive(channel, Post);
        _rig.PassUntil(317);
        _rig.Receive(channel, Post);
        Assert.Equal(1, _handled);
        _rig.PassUntil(318);
        _rig.Receive(channel, Post);
        Assert.Equal(2, _handled);
    }

    [Fact]
    [Rfc("7252-4.5-2", "7252-4.3-1", "7252-5.2.3-1")]
    public void A_duplicate_Non_confirmable_request_is_ignored_within_NON_LIFETIME()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, NonPost);
        _rig.PassUntil(144);
        _rig.Receive(channel, NonPost);
        Assert.Equal(1, _handled);
        string reply = Assert.Single(_rig.Bytes);
        Assert.Equal("5144", reply[..4]);
        reply.Ends("71ff31");

        _rig.PassUntil(145.1);
        _rig.Receive(channel, NonPost);
        Assert.Equal(2, _handled);
    }

    [Fact]
    [Rfc("7252-4.5-3")]
    public void A_message_with_the_Message_ID_of_a_message_of_another_peer_is_not_a_duplicate()
    {
        _rig.Receive(_rig.Channel(5001), Post);
        _rig.Receive(_rig.Channel(5002), Post);

        Assert.Equal(2, _handled);
        Assert.Equal([5001, 5002], _rig.Sent.Select(sent => (int)sent.Port));
    }

    [Fact]
    public void A_request_that_reuses_a_Message_ID_with_other_bytes_is_executed_and_counted()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, Post);
        _rig.Receive(channel, "41027d3472ff42");
        Assert.Equal(2, _handled);
        Assert.Equal(1, _rig.Counters[CoapCounter.MessageIdReused]);

        // From now on the newer one is what is remembered.
        _rig.Receive(channel, "41027d3472ff42");
        Assert.Equal(2, _handled);
        Assert.Equal(["61447d3471ff31", "61447d3472ff32", "61447d3472ff32"], _rig.Bytes);
    }

    [Fact]
    public void A_reused_message_id_replaces_a_request_that_still_runs()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Handle = _ => { };
        _rig.Receive(channel, Post);
        _rig.Receive(channel, "41027d3472ff42");
        Assert.Equal(2, _rig.Up.Count);

        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.Changed));
        Assert.Empty(_rig.Sent);
        Assert.Equal(1, _rig.Counters[CoapCounter.LateResponses]);
        _rig.Reply(_rig.Up[1], new CoapMessage(CoapCode.Changed));
        Assert.Equal(["61447d3472"], _rig.Bytes);
    }

    [Fact]
    [Rfc("7252-4.5-4", "7252-5.2.2-2")]
    public void A_duplicate_Confirmable_response_is_acknowledged_again_and_delivered_once()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Handle = item => _rig.Answer(item, CoapOutboundAction.Acknowledge);
        _rig.Receive(channel, "41457d34a1ff31");
        _rig.Pass(30);
        _rig.Receive(channel, "41457d34a1ff31");

        Assert.Equal(["60007d34", "60007d34"], _rig.Bytes);
        Assert.Single(_rig.Up);
        Assert.Equal(0, _rig.Layer.Memory.Running);
    }

    [Fact]
    public void A_duplicate_of_a_rejected_message_is_rejected_again()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Handle = item => _rig.Answer(item, CoapOutboundAction.Reject);
        _rig.Receive(channel, "41457d34a1ff31");
        _rig.Receive(channel, "41457d34a1ff31");

        Assert.Equal(["70007d34", "70007d34"], _rig.Bytes);
        Assert.Single(_rig.Up);
    }

    [Fact]
    [Rfc("7252-4.5-5", "7252-5.2.2-1")]
    public void A_duplicate_of_a_running_request_gets_an_empty_acknowledgement_and_does_not_run_again()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Handle = _ => { };
        _rig.Receive(channel, Post);
        _rig.Pass(0.1);
        _rig.Receive(channel, Post);
        _rig.Receive(channel, Post);
        Assert.Equal(["60007d34", "60007d34"], _rig.Bytes);
        Assert.Single(_rig.Up);

        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.Changed));
        _rig.Sent[2].Hex.Begins("4144");
        Assert.NotEqual("7d34", _rig.LastMid);
    }

    [Fact]
    [Rfc("7252-4.2-9")]
    public void After_a_separate_response_a_duplicate_gets_the_empty_acknowledgement_again()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Handle = _ => { };
        _rig.Receive(channel, Post);
        _rig.Pass(1);
        _rig.Reply(_rig.Up[0], new CoapMessage(CoapCode.Changed));
        _rig.Receive(channel, "6000" + _rig.LastMid);
        _rig.Sent.Clear();
        _rig.Pass(20);
        _rig.Receive(channel, Post);

        Assert.Equal(["60007d34"], _rig.Bytes);
        Assert.Single(_rig.Up, item => item.Kind == CoapInboundKind.Message);
    }

    [Fact]
    public void A_large_reply_to_a_safe_request_is_not_stored_and_a_duplicate_runs_again()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Handle = item =>
        {
            _handled++;
            _rig.Reply(item, new CoapMessage(CoapCode.Content) { Payload = new byte[200] });
        };
        _rig.Receive(channel, "40017d34");
        _rig.Receive(channel, "40017d34");
        _rig.Receive(channel, "40027d35");
        _rig.Receive(channel, "40027d35");

        Assert.Equal(3, _handled);
        Assert.Equal(4, _rig.Sent.Count);
    }

    [Fact]
    public void A_reply_that_a_linked_block_declines_ends_its_exchange()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Outgoing = _ => false;
        _rig.Receive(channel, "40017d34");
        _rig.Receive(channel, Post[..4] + "7d35" + Post[8..]);
        Assert.Equal(0, _rig.Layer.Memory.Running);
        Assert.Equal(2, _rig.Counters[CoapCounter.Declined]);

        _rig.Outgoing = _ => true;
        _rig.Receive(channel, "40017d34");
        _rig.Receive(channel, Post[..4] + "7d35" + Post[8..]);

        // The GET ran again; the POST must not.
        Assert.Equal(3, _handled);
        Assert.Single(_rig.Sent);
    }

    [Fact]
    public void A_block_between_messaging_and_serializer_may_keep_replies_for_a_while()
    {
        CoapChannel channel = _rig.Channel();
        List<CoapOutbound> kept = [];
        _rig.Outgoing = item =>
        {
            kept.Add(item);
            return null;
        };
        _rig.Receive(channel, Post);
        _rig.Receive(channel, Post);
        _rig.Pass(5);
        CoapOutbound reply = Assert.Single(kept);
        Assert.Empty(_rig.Sent);

        _rig.Encode(reply);
        _rig.Outgoing = _ => true;
        _rig.Receive(channel, Post);
        Assert.Equal(["61447d3471ff31", "61447d3471ff31"], _rig.Bytes);
        Assert.Equal(1, _handled);
    }

    [Fact]
    public void An_exchange_whose_reply_a_linked_block_swallows_ends_after_EXCHANGE_LIFETIME()
    {
        _rig.Outgoing = _ => null;
        _rig.Receive(_rig.Channel(), Post);
        Assert.Equal(1, _rig.Layer.Memory.Running);
        _rig.Pass(248);
        Assert.Equal(0, _rig.Layer.Memory.Running);
    }

    [Fact]
    [Rfc("7252-4.5-1")]
    public void Fifty_POST_requests_per_second_each_repeated_after_45_seconds_run_once_each()
    {
        CoapChannel channel = _rig.Channel(verified: true);
        Dictionary<int, int> runs = [];
        _rig.Handle = item =>
        {
            int number = Convert.ToInt32(Wire.Hex(item.Message!.Payload.Span), 16);
            runs[number] = runs.GetValueOrDefault(number) + 1;
            _rig.Reply(item, new CoapMessage(CoapCode.Changed));
        };
        const int perSecond = 50;
        const int total = perSecond * 600;
        const int delay = perSecond * 45;
        for (int i = 0; i < total + delay; i++)
        {
            if (i < total)
            {
                _rig.Receive(channel, $"4202{i & 0xffff:x4}7172ff{i:x8}");
            }

            if (i >= delay)
            {
                int again = i - delay;
                _rig.Receive(channel, $"4202{again & 0xffff:x4}7172ff{again:x8}");
            }

            _rig.Pass(1.0 / perSecond);
        }

        Assert.Equal(total, runs.Count);
        Assert.All(runs.Values, count => Assert.Equal(1, count));
        Assert.Equal(total * 2, _rig.Sent.Count);
        Assert.Equal(total, _rig.Counters[CoapCounter.Duplicates]);
        Assert.InRange(_rig.Layer.Memory.Bytes, 1, 4 * 1024 * 1024);
    }
}
