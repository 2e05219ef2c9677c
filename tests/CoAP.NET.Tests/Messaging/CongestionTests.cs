using CoAP.NET.Diagnostics;
using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

/// <summary>NSTART and PROBING_RATE: RFC 7252 section 4.7.</summary>
public sealed class CongestionTests
{
    private readonly MessagingRig _rig = new();

    [Fact]
    [Rfc("7252-4.7-1")]
    public void The_second_request_leaves_after_the_acknowledgement_or_response_of_the_first()
    {
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 5; i++)
        {
            _rig.Send(channel, token: $"a{i}");
        }

        Assert.Single(_rig.Sent);
        Assert.Equal(4, MessageLayer.WaitingFor(channel));
        _rig.Receive(channel, "6000" + _rig.LastMid);
        Assert.Equal(2, _rig.Sent.Count);
        _rig.Receive(channel, $"6145{_rig.LastMid}a1");
        Assert.Equal(3, _rig.Sent.Count);
        _rig.Receive(channel, "7000" + _rig.LastMid);
        Assert.Equal(4, _rig.Sent.Count);
        _rig.Inbound.Unreachable(channel, Wire.Hex(_rig.Sent[3].Hex));
        Assert.Equal(["a0", "a1", "a2", "a3", "a4"], _rig.Bytes.Select(bytes => bytes[^2..]));
        Assert.Equal(0, MessageLayer.WaitingFor(channel));
        Assert.Equal(1, MessageLayer.OutstandingTo(channel));
    }

    [Fact]
    [Rfc("7252-4.7-1")]
    public void Requests_to_one_peer_do_not_wait_for_requests_to_another_peer()
    {
        for (ushort port = 1; port <= 5; port++)
        {
            _rig.Send(_rig.Channel(port));
        }

        Assert.Equal(5, _rig.Sent.Count);
    }

    [Fact]
    [Rfc("7252-4.7-1")]
    public void A_request_that_a_closed_port_refused_does_not_delay_later_requests()
    {
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 5; i++)
        {
            _rig.Send(channel, token: $"a{i}");
            Assert.Equal(i + 1, _rig.Sent.Count);
            _rig.Inbound.Unreachable(channel, Wire.Hex(_rig.Sent[i].Hex));
        }
    }

    [Fact]
    [Rfc("7252-4.7-1")]
    public void A_request_that_fails_frees_its_NSTART_place()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { ProbingRate = double.PositiveInfinity });
        _rig.Send(channel, token: "a0");
        _rig.Send(channel, token: "a1");
        _rig.Pass(94);
        Assert.Contains(_rig.Sent, sent => sent.Hex.EndsWith("a1", Ordinal));
    }

    [Fact]
    public void NStart_of_the_parameters_is_the_number_of_concurrent_requests_to_a_peer()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { NStart = 3 });
        for (int i = 0; i < 5; i++)
        {
            _rig.Send(channel, token: $"a{i}");
        }

        Assert.Equal(3, _rig.Sent.Count);
    }

    [Fact]
    public void Cancelling_a_request_frees_its_NSTART_place_or_its_place_in_the_queue()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { ProbingRate = double.PositiveInfinity });
        CoapTransmission first = _rig.Send(channel, token: "a0");
        CoapTransmission second = _rig.Send(channel, token: "a1");
        _rig.Send(channel, token: "a2");
        _rig.Cancel(second);
        Assert.Single(_rig.Sent);
        _rig.Cancel(first);
        Assert.Equal(["a0", "a2"], _rig.Bytes.Select(bytes => bytes[^2..]));
        Assert.Equal(0, _rig.Layer.Waiting);
    }

    [Fact]
    public void A_request_beyond_MaxQueuedRequests_of_a_peer_is_refused()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { MaxQueuedRequests = 3 });
        CoapTransmission[] all = [.. Enumerable.Range(0, 5).Select(i => _rig.Send(channel, token: $"a{i}"))];

        CoapInbound refused = Assert.Single(_rig.Up);
        Assert.Equal(CoapInboundKind.NotSent, refused.Kind);
        Assert.Same(all[4], refused.Transmission);
        Assert.Equal(1, _rig.Counters[CoapCounter.NotSent]);
        Assert.Equal(3, MessageLayer.WaitingFor(channel));

        // Room again after one left the queue by being cancelled: cancelled ones take none.
        _rig.Cancel(all[2]);
        _rig.Send(channel, token: "a5");
        Assert.Single(_rig.Up);
    }

    [Fact]
    public void Queued_requests_of_the_clients_of_a_proxy_to_a_server_are_sent_in_turn()
    {
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 6; i++)
        {
            _rig.Send(channel, token: $"a{i}", onBehalfOf: Client(1));
        }

        _rig.Send(channel, token: "b0", onBehalfOf: Client(2));
        _rig.Send(channel, token: "b1", onBehalfOf: Client(2));
        _rig.Send(channel, token: "c0");
        Acknowledge(channel, 8);
        Assert.Equal(["a0", "a1", "b0", "c0", "a2", "b1", "a3", "a4", "a5"], _rig.Bytes.Select(bytes => bytes[^2..]));
    }

    [Fact]
    public void Clients_with_a_single_request_at_a_time_do_not_starve_a_client_with_many()
    {
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 4; i++)
        {
            _rig.Send(channel, token: $"a{i}", onBehalfOf: Client(1));
        }

        // Each of two others asks again as soon as its request has left.
        _rig.Send(channel, token: "b0", onBehalfOf: Client(2));
        _rig.Send(channel, token: "c0", onBehalfOf: Client(3));
        for (int i = 0; i < 12; i++)
        {
            Acknowledge(channel, 1);
            if (_rig.Bytes[^1][^2] is var client and not 'a')
            {
                _rig.Send(channel, token: $"{client}{i % 10}", onBehalfOf: Client(client == 'b' ? 2 : 3));
            }
        }

        Assert.Equal("aabcabcabcbcb", string.Concat(_rig.Bytes.Select(static bytes => bytes[^2])));
    }

    [Fact]
    public void A_full_queue_refuses_the_last_request_of_the_client_with_the_most_requests()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { MaxQueuedRequests = 3 });
        CoapTransmission[] greedy = [.. Enumerable.Range(0, 4).Select(i => _rig.Send(channel, token: $"a{i}", onBehalfOf: Client(1)))];
        CoapTransmission other = _rig.Send(channel, token: "b0", onBehalfOf: Client(2));
        Assert.Same(greedy[3], Assert.Single(_rig.Up).Transmission);

        CoapTransmission more = _rig.Send(channel, token: "b1", onBehalfOf: Client(2));
        Assert.Same(more, _rig.Up[^1].Transmission);
        Assert.Equal([true, true], [greedy[2].IsQueued, other.IsQueued]);
        Assert.Equal(3, _rig.Layer.Waiting);
    }

    [Fact]
    public void A_Non_confirmable_request_frees_its_NSTART_place_by_its_response_or_after_a_timeout()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { ProbingRate = double.PositiveInfinity });
        CoapTransmission first = _rig.Send(channel, CoapMessageType.NonConfirmable, token: "a0");
        _rig.Send(channel, CoapMessageType.NonConfirmable, token: "a1");
        _rig.Send(channel, CoapMessageType.NonConfirmable, token: "a2");
        Assert.Single(_rig.Sent);
        _rig.Cancel(first);
        Assert.Equal(2, _rig.Sent.Count);
        _rig.Pass(2.9);
        Assert.Equal(2, _rig.Sent.Count);
        _rig.Pass(0.2);
        Assert.Equal(3, _rig.Sent.Count);
        _rig.Pass(200);
        Assert.Equal(3, _rig.Sent.Count);
        Assert.Equal(0, _rig.Layer.Outstanding);
        Assert.Empty(_rig.Up);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(10)]
    [Rfc("7252-4.7-2")]
    public void A_silent_peer_gets_at_most_ProbingRate_bytes_a_second_on_average(double rate)
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { ProbingRate = rate });
        for (int i = 0; i < 100; i++)
        {
            _rig.Send(channel, CoapMessageType.NonConfirmable, token: $"000000000000{i:x4}");
        }

        // The first goes at once, each further one when the average allows it (and the place of the one before is free).
        Assert.Single(_rig.Sent);
        double each = Math.Max(12 / rate, 3);
        _rig.Pass((each * 20) + 1);
        Assert.Equal(21, _rig.Sent.Count);
        double bytes = _rig.Sent.Take(20).Sum(sent => sent.Hex.Length / 2);
        Assert.True(bytes / _rig.Sent[20].At <= rate);
    }

    [Fact]
    [Rfc("7252-4.7-2")]
    public void Retransmissions_to_a_silent_peer_count_towards_PROBING_RATE()
    {
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 10; i++)
        {
            CoapMessage message = new(CoapCode.Put) { Token = new CoapToken([(byte)i]), Payload = new byte[94] };
            _rig.Offer(new CoapOutbound
            {
                Channel = channel,
                Message = message,
                Transmission = new CoapTransmission(channel, message, null)
            });
        }

        _rig.Pass(1400);
        double[] firsts = [.. _rig.Sent.DistinctBy(sent => sent.Hex).Select(sent => sent.At)];
        Assert.Equal(3, firsts.Length);
        Assert.InRange(firsts[1], 500, 501);
        Assert.InRange(firsts[2], 1000, 1002);
    }

    [Fact]
    public void A_small_message_probes_a_silent_peer_within_minutes_after_an_unanswered_large_message()
    {
        CoapChannel channel = _rig.Channel();
        Offer(channel, 1, 1024);
        _rig.Pass(100);
        Assert.Equal(5, _rig.Sent.Count);

        // The average that 5 kB in vain leave is paid off after an hour and a half; a large message waits for that, and does not hold up a
        // small one.
        Offer(channel, 2, 1024);
        Offer(channel, 3, 0);
        _rig.Pass(400);
        Assert.Equal(10, _rig.Sent.Count);
        Assert.InRange(_rig.Sent[5].At, 247 + 30, 247 + 46);
        Assert.All(_rig.Sent.Skip(5), sent => Assert.True(sent.Hex.Length < 40));
        _rig.Receive(channel, "50010001");
        Assert.Equal(11, _rig.Sent.Count);
    }

    [Fact]
    [Rfc("7252-4.7-2")]
    public void Small_messages_between_large_messages_do_not_exceed_PROBING_RATE()
    {
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 250; i++)
        {
            Offer(channel, (byte)i, i % 2 == 0 ? 1024 : 1);
        }

        const int Hours = 20;
        _rig.Pass(Hours * 3600);
        Assert.InRange(_rig.Sent.Sum(sent => sent.Hex.Length / 2), 1, (Hours * 3600) + (5 * 1100));
        Assert.Contains(_rig.Sent.Skip(10), sent => sent.Hex.Length > 2000);
    }

    [Fact]
    public void A_message_behind_cancelled_messages_does_not_wait_for_their_PROBING_RATE_time()
    {
        CoapChannel channel = _rig.Channel();
        Offer(channel, 0, 1024);
        _rig.Pass(100);
        CoapTransmission[] large = [.. Enumerable.Range(1, 20).Select(i => Offer(channel, (byte)i, 1024))];
        Offer(channel, 100, 0);
        _rig.Pass(600);
        Assert.Equal(5, _rig.Sent.Count);
        Array.ForEach(large, _rig.Cancel);
        Assert.Equal(6, _rig.Sent.Count);
    }

    [Fact]
    [Rfc("7252-4.7-2")]
    public void PROBING_RATE_does_not_delay_messages_to_a_peer_that_answers()
    {
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 100; i++)
        {
            CoapTransmission request = _rig.Send(channel, CoapMessageType.NonConfirmable, token: $"{i:x2}");
            Assert.Equal(i + 1, _rig.Sent.Count);
            _rig.Handle = item => _rig.Cancel(request);
            _rig.Receive(channel, $"5145{i:x4}{i:x2}");
        }

        Assert.Equal(0, _rig.Seconds);
    }

    [Fact]
    [Rfc("7252-4.7-2")]
    public void PROBING_RATE_stops_delaying_messages_as_soon_as_the_peer_sends_a_message()
    {
        CoapChannel channel = _rig.Channel();
        for (int i = 0; i < 3; i++)
        {
            _rig.Send(channel, CoapMessageType.NonConfirmable, token: $"000000000000{i:x4}");
        }

        _rig.Pass(4);
        Assert.Single(_rig.Sent);
        _rig.Receive(channel, "500100010000");
        Assert.Equal(2, _rig.Sent.Count);
        _rig.Pass(4);
        Assert.Equal(3, _rig.Sent.Count);
    }

    [Fact]
    public void A_peer_heard_within_exchange_lifetime_counts_as_responding()
    {
        CoapChannel channel = _rig.Channel();
        _rig.Receive(channel, "50010001");
        for (int i = 0; i < 10; i++)
        {
            _rig.Send(channel, CoapMessageType.NonConfirmable, token: $"{i:x2}");
        }

        _rig.Pass(30);
        Assert.Equal(10, _rig.Sent.Count);
    }

    [Fact]
    public void An_infinite_ProbingRate_delays_no_message()
    {
        CoapChannel channel = _rig.Channel(parameters: new CoapTransmissionParameters { ProbingRate = double.PositiveInfinity });
        for (int i = 0; i < 10; i++)
        {
            _rig.Send(channel, CoapMessageType.NonConfirmable, token: $"{i:x2}");
        }

        _rig.Pass(30);
        Assert.Equal(10, _rig.Sent.Count);
    }

    [Fact]
    public void PROBING_RATE_does_not_delay_messages_to_a_group()
    {
        CoapChannel channel = _rig.Channel(address: CoapAddress.FromIPv4(0xe00001bb, 5683));
        for (int i = 0; i < 3; i++)
        {
            _rig.Send(channel, CoapMessageType.NonConfirmable, token: $"000000000000{i:x4}");
        }

        _rig.Pass(10);
        Assert.Equal(3, _rig.Sent.Count);
    }

    [Fact]
    public void Messages_beyond_MaxOutstanding_wait()
    {
        MessagingRig rig = new(new CoapLimits { Messages = { MaxOutstanding = 2 } });
        CoapChannel first = rig.Channel(1);
        rig.Send(first);
        rig.Send(rig.Channel(2));
        rig.Send(rig.Channel(3));
        Assert.Equal(2, rig.Sent.Count);
        rig.Receive(first, $"6000{rig.Sent[0].Hex[4..8]}");
        Assert.Equal([1, 2, 3], rig.Sent.Select(sent => (int)sent.Port));
    }

    [Fact]
    public void Free_places_are_given_to_waiting_peers_in_turn_whatever_the_length_of_their_queues()
    {
        MessagingRig rig = new(new CoapLimits { Messages = { MaxOutstanding = 4 } });
        CoapChannel[] channels = [.. Enumerable.Range(1, 5).Select(port => rig.Channel((ushort)port))];
        foreach (int peer in (int[])[0, 1, 2, 3, 0, 0, 4])
        {
            rig.Send(channels[peer]);
        }

        Assert.Equal([1, 2, 3, 4], rig.Sent.Select(sent => (int)sent.Port));
        rig.Receive(channels[0], $"6000{rig.Sent[0].Hex[4..8]}");
        Assert.Equal(5, rig.Sent[^1].Port);
        rig.Receive(channels[4], $"6000{rig.Sent[4].Hex[4..8]}");
        Assert.Equal([1, 2, 3, 4, 5, 1], rig.Sent.Select(sent => (int)sent.Port));
    }

    [Fact]
    public void A_peer_without_a_message_to_send_does_not_delay_other_waiting_peers()
    {
        MessagingRig rig = new(new CoapLimits { Messages = { MaxOutstanding = 2 } });
        CoapChannel first = rig.Channel(1);
        rig.Send(first);
        rig.Send(rig.Channel(2));
        CoapTransmission left = rig.Send(rig.Channel(3));
        rig.Send(rig.Channel(4));
        rig.Cancel(left);
        rig.Receive(first, $"6000{rig.Sent[0].Hex[4..8]}");
        Assert.Equal([1, 2, 4], rig.Sent.Select(sent => (int)sent.Port));
    }

    [Fact]
    public void Messages_that_only_a_Reset_can_answer_are_evicted_from_the_outstanding_messages_oldest_first()
    {
        MessagingRig rig = new(new CoapLimits { Messages = { MaxOutstanding = 2 } });
        CoapChannel flooded = rig.Channel(1);
        CoapTransmission[] blocks = [Paced(rig, flooded, 1), Paced(rig, flooded, 2), Paced(rig, flooded, 3)];
        Assert.Equal(3, rig.Sent.Count);
        Assert.Equal([false, true, true], blocks.Select(static block => block.IsOutstanding));
        rig.Send(rig.Channel(2));
        Assert.Equal(2, rig.Sent[^1].Port);
        Assert.Equal([false, false, true], blocks.Select(static block => block.IsOutstanding));
        rig.Receive(flooded, $"7000{rig.Sent[2].Hex[4..8]}");
        Assert.Equal(1, rig.Layer.Outstanding);
    }

    [Fact]
    public void A_Non_confirmable_request_that_awaits_its_response_is_not_evicted_for_another_message()
    {
        MessagingRig rig = new(new CoapLimits { Messages = { MaxOutstanding = 1 } });
        rig.Send(rig.Channel(1), CoapMessageType.NonConfirmable);
        rig.Send(rig.Channel(2));
        Assert.Single(rig.Sent);

        // NON_LIFETIME is 145 s; the place of an interaction is given up long before.
        rig.Pass(20);
        Assert.Equal([1, 2], rig.Sent.Select(sent => (int)sent.Port).Distinct());
    }

    private static CoapTransmission Paced(MessagingRig rig, CoapChannel channel, byte token)
    {
        CoapMessage message = new(CoapCode.Content) { Type = CoapMessageType.NonConfirmable, Token = new CoapToken([token]) };
        CoapTransmission transmission = new(channel, message, null) { IsPaced = true };
        rig.Offer(new CoapOutbound { Channel = channel, Message = message, Transmission = transmission });
        return transmission;
    }

    private CoapTransmission Offer(CoapChannel channel, byte token, int payload)
    {
        CoapMessage message = new(CoapCode.Put) { Token = new CoapToken([token]), Payload = new byte[payload] };
        CoapTransmission transmission = new(channel, message, null);
        _rig.Offer(new CoapOutbound { Channel = channel, Message = message, Transmission = transmission });
        return transmission;
    }

    private static CoapQuotaSource Client(int host) =>
        CoapSourceGroupingRule.Default.Of(CoapAddress.FromIPv4(0xc6336400u + (uint)host, 5683));

    private void Acknowledge(CoapChannel channel, int times)
    {
        for (int i = 0; i < times; i++)
        {
            _rig.Receive(channel, "6000" + _rig.LastMid);
        }
    }
}
