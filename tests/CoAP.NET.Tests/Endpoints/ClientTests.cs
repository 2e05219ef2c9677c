using System.Net;
using CoAP.NET.Errors;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>What a client sends and what completes its requests, through all stages, on virtual time.</summary>
public sealed class ClientTests : ClientTest
{
    [Fact]
    [Rfc("7252-5.2.1-1", "7252-5.3.2-2", "7252-5.3.1-3", "7252-6.4-1")]
    public async Task A_piggybacked_response_completes_the_request()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/temperature");
        Sent sent = TakeOne();
        Assert.Equal((0, 0x01), (sent.Type, sent.Code));
        Assert.Equal(8, sent.Token.Length);
        sent.Hex.Ends("bb74656d7065726174757265");
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}ff32322e332043");
        CoapResponse response = await Within(request);
        response.Gives(CoapCode.Content);
        response.Says("22.3 C");
        Assert.Equal(s_server, response.Remote);
        Clock.Advance(FromMinutes(10));
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7252-5.2.1-1", "7252-5.2.2-2", "7252-4.5-4")]
    public async Task A_separate_response_is_acknowledged_each_time_and_delivered_once()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/slow");
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"6000{sent.MessageId}");
        Assert.False(request.IsCompleted);
        Transport.Receive(s_server, $"4445ad7b{sent.Token}ff31");
        Transport.HasSent("6000ad7b");
        await Within(request).Says("1");
        Transport.Receive(s_server, $"4445ad7b{sent.Token}ff31");
        Transport.HasSent("6000ad7b");
    }

    [Fact]
    [Rfc("7252-5.2.2-4", "7252-4.2-10")]
    public async Task A_separate_response_before_the_acknowledgement_completes_the_request_and_stops_retransmissions()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/slow");
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"4445ad7b{sent.Token}ff31");
        Transport.HasSent("6000ad7b");
        await Within(request);
        Transport.Receive(s_server, $"6000{sent.MessageId}");
        Clock.Advance(FromMinutes(10));
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7252-5.2.3-2")]
    public async Task A_response_of_either_type_answers_a_request_of_either_type()
    {
        Task<CoapResponse> confirmable = Client.GetAsync("coap://192.0.2.1/a");
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"6000{sent.MessageId}");
        Transport.Receive(s_server, $"54450001{sent.Token}ff31");
        await Within(confirmable).Says("1");
        Transport.HasSentNothing();

        Task<CoapResponse> non = Client.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.1/a") { Confirmable = false });
        sent = TakeOne();
        Assert.Equal(1, sent.Type);
        Transport.Receive(s_server, $"44450002{sent.Token}ff32");
        Transport.HasSent("60000002");
        await Within(non).Says("2");
    }

    [Fact]
    [Rfc("7252-5.3.2-1", "7252-5.3.2-3", "7252-4.4-2")]
    public async Task A_response_with_a_wrong_source_token_or_Message_ID_neither_completes_nor_stops_the_request()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Sent sent = TakeOne();
        string otherToken = Flip(sent.Token);
        string otherId = Flip(sent.MessageId);
        Transport.Receive(s_stranger, $"6445{sent.MessageId}{sent.Token}ff31");
        Transport.Receive(s_server with { Port = 5684 }, $"6445{sent.MessageId}{sent.Token}ff31");
        Transport.Receive(s_server, $"6445{sent.MessageId}{otherToken}ff31");
        Transport.Receive(s_server, $"6445{otherId}{sent.Token}ff31");
        Transport.Receive(s_stranger, $"6000{sent.MessageId}");
        Transport.Receive(s_stranger, $"7000{sent.MessageId}");
        Transport.HasSentNothing();
        Transport.Receive(s_stranger, $"44450001{sent.Token}ff31");
        Transport.Receive(s_server, $"44450002{otherToken}ff31");
        Transport.HasSent("70000001", "70000002");
        Assert.False(request.IsCompleted);

        Clock.Advance(FromSeconds(3));
        Assert.Equal(sent.Hex, TakeOne().Hex);
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}ff31");
        await Within(request).Says("1");
    }

    [Fact]
    [Trait("Category", "Campaign")]
    [Rfc("7252-5.3.2-1", "7252-11.4-1")]
    public async Task A_hundred_thousand_forged_responses_neither_complete_nor_fail_a_request()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"6000{sent.MessageId}");
        byte[] right = Wire.Hex($"54450000{sent.Token}ff31");
        VirtualRandom random = new(7);
        int count = CampaignSetting.Of("COAP_FORGED", 100_000);
        for (int i = 0; i < count; i++)
        {
            byte[] forged = (byte[])right.Clone();
            ulong bits = random.NextUInt64();
            forged[0] = (byte)((i % 3) switch { 0 => 0x54, 1 => 0x64, _ => 0x74 });
            forged[2] = (byte)(bits >> 8);
            forged[3] = (byte)bits;
            CoapAddress from = s_server;
            if (i % 2 == 0)
            {
                System.Buffers.Binary.BinaryPrimitives.WriteUInt32BigEndian(forged.AsSpan(4), (uint)(bits >> 32));
                if (forged.AsSpan(4, 4).SequenceEqual(right.AsSpan(4, 4)))
                {
                    continue;
                }
            }
            else
            {
                from = s_server with { Port = (ushort)((bits >> 16) | 1) };
                if (from == s_server)
                {
                    continue;
                }
            }

            Transport.Receive(from, forged);
        }

        Assert.False(request.IsCompleted);
        Transport.HasSentNothing();
        Transport.Receive(s_server, right);
        await Within(request).Says("1");
    }

    [Fact]
    [Rfc("7252-4.2-6", "7252-4.2-7", "7252-4.8-1")]
    public async Task An_unanswered_Confirmable_request_fails_after_five_identical_datagrams()
    {
        Task<CoapResponse> request = Client.PostAsync("coap://192.0.2.1/x", CoapContent.Text("on"));
        Sent first = TakeOne();
        List<double> times = [];
        for (double t = 0.05; t < 94; t += 0.05)
        {
            Clock.Advance(FromMilliseconds(50));
            foreach (string copy in Transport.TakeSent())
            {
                Assert.Equal(first.Hex, copy);
                times.Add(t);
            }
        }

        Assert.Equal(4, times.Count);
        Assert.InRange(times[0], 2, 3.1);
        Assert.InRange(times[3] / times[0], 14.5, 15.5);
        CoapTimeoutException timeout = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(request));
        Assert.Equal(CoapTimeoutReason.NotAcknowledged, timeout.Reason);
        Assert.True(timeout.IsOutcomeUnknown);
    }

    [Fact]
    public async Task An_acknowledged_request_without_a_response_times_out_with_NoResponse()
    {
        Options.Parameters = Options.Parameters with { ResponseTimeout = FromSeconds(30) };
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Transport.Receive(s_server, $"6000{TakeOne().MessageId}");
        Clock.Advance(FromSeconds(29));
        Assert.False(request.IsCompleted);
        Clock.Advance(FromSeconds(2));
        CoapTimeoutException timeout = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(request));
        Assert.Equal(CoapTimeoutReason.NoResponse, timeout.Reason);
        Assert.False(timeout.IsOutcomeUnknown);
    }

    [Fact]
    [Rfc("7252-4.7-1")]
    public async Task Requests_to_a_peer_are_sent_in_turn_and_their_Timeout_runs_while_they_wait()
    {
        Task<CoapResponse> first = Client.GetAsync("coap://192.0.2.1/1");
        Sent sent = TakeOne();
        Task<CoapResponse> second =
            Client.SendAsync(new CoapRequest(CoapMethod.Put, "coap://192.0.2.1/2") { Timeout = FromSeconds(5) });
        Task<CoapResponse> third = Client.GetAsync("coap://192.0.2.1/3");
        Task<CoapResponse> elsewhere = Client.GetAsync("coap://192.0.2.9/4");
        TakeOne().Hex.Ends("b134");
        Clock.Advance(FromSeconds(6));
        CoapTimeoutException timeout = await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(second));
        Assert.Equal(CoapTimeoutReason.NotSent, timeout.Reason);
        Assert.False(timeout.IsOutcomeUnknown);
        Transport.TakeSent();
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}");
        await Within(first);
        Sent next = TakeOne();
        next.Hex.Ends("b133");
        Transport.Receive(s_server, $"6445{next.MessageId}{next.Token}");
        await Within(third);
        Assert.False(elsewhere.IsCompleted);
    }

    [Fact]
    public async Task A_request_beyond_MaxQueuedRequests_is_refused_at_once()
    {
        Options.Parameters = Options.Parameters with { MaxQueuedRequests = 3 };
        Task<CoapResponse>[] waiting = [.. Enumerable.Range(0, 4).Select(i => Client.GetAsync($"coap://192.0.2.1/{i}"))];
        await Failure.OfAsync(CoapError.Busy, () => Within(Client.GetAsync("coap://192.0.2.1/x")));
        Assert.All(waiting, task => Assert.False(task.IsCompleted));
    }

    [Fact]
    [Rfc("7252-5.3.1-2")]
    public async Task Hundreds_of_requests_at_a_time_each_get_their_own_answer()
    {
        Options.Parameters = Options.Parameters with { NStart = 1000 };
        Task<CoapResponse>[] requests = [.. Enumerable.Range(0, 500).Select(i => Client.GetAsync($"coap://192.0.2.1/{i:000}"))];
        Sent[] sent = [.. Transport.TakeSent().Select(hex => new Sent(hex))];
        Assert.Equal(500, sent.Length);
        Assert.Equal(500, sent.Select(s => s.Token).Distinct().Count());
        Assert.Equal(500, sent.Select(s => s.MessageId).Distinct().Count());
        foreach (Sent one in sent.Reverse())
        {
            Transport.Receive(s_server, $"6445{one.MessageId}{one.Token}ff{one.Hex[^6..]}");
        }

        for (int i = 0; i < requests.Length; i++)
        {
            await Within(requests[i]).Says($"{i:000}");
        }
    }

    [Fact]
    [Rfc("7252-4.2-8")]
    public async Task A_Reset_fails_the_request_immediately()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Transport.Receive(s_server, $"7000{TakeOne().MessageId}");
        await Failure.OfAsync(CoapError.Reset, () => Within(request));
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7252-4.2-10", "7252-5.3.2-3")]
    public async Task A_cancelled_request_sends_no_copies_and_a_late_answer_is_reset()
    {
        using CancellationTokenSource cancel = new();
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x", cancel.Token);
        Sent sent = TakeOne();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(request));
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
        Transport.Receive(s_server, $"4445ad7b{sent.Token}ff31");
        Transport.HasSent("7000ad7b");
        using CancellationTokenSource before = new();
        await before.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(Client.GetAsync("coap://192.0.2.1/x", before.Token)));
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7252-5.4.1-3")]
    public async Task A_response_with_an_unknown_critical_option_is_rejected()
    {
        Task<CoapResponse> piggybacked = Client.GetAsync("coap://192.0.2.1/x");
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}e02602ff78");
        CoapProtocolException error = await Assert.ThrowsAsync<CoapProtocolException>(() => Within(piggybacked));
        error.Mentions("9999");

        Task<CoapResponse> separate = Client.GetAsync("coap://192.0.2.1/x");
        sent = TakeOne();
        Transport.Receive(s_server, $"44457d34{sent.Token}e02602ff78");
        Transport.HasSent("70007d34");
        await Assert.ThrowsAsync<CoapProtocolException>(() => Within(separate));
    }

    [Fact]
    [Rfc("7252-5.9.2.3-1")]
    public async Task An_error_response_throws_only_from_EnsureSuccess_and_is_not_retried()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"6482{sent.MessageId}{sent.Token}ff6e6f");
        CoapResponse response = await Within(request);
        response.Gives(CoapCode.BadOption);
        CoapResponseException error = Assert.Throws<CoapResponseException>(response.EnsureSuccess);
        error.Mentions("no");
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_CoapRequest_object_may_be_sent_many_times()
    {
        Options.Parameters = Options.Parameters with { NStart = 10 };
        CoapRequest request = new(CoapMethod.Put, "coap://192.0.2.1/x") { Content = CoapContent.Text("on") };
        Task<CoapResponse> first = Client.SendAsync(request);
        Task<CoapResponse> second = Client.SendAsync(request);
        Sent[] sent = [.. Transport.TakeSent().Select(hex => new Sent(hex))];
        Assert.Equal(2, sent.Length);
        Assert.NotEqual(sent[0].Token, sent[1].Token);
        foreach (Sent one in sent)
        {
            Transport.Receive(s_server, $"6444{one.MessageId}{one.Token}");
        }

        await Within(Task.WhenAll(first, second));
    }

    [Fact]
    public async Task Disposing_the_client_fails_waiting_requests()
    {
        Task<CoapResponse> request = Client.GetAsync("coap://192.0.2.1/x");
        await Client.DisposeAsync();
        await Assert.ThrowsAsync<CoapException>(() => Within(request));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(Client.GetAsync("coap://192.0.2.1/x")));
    }

    private static string Flip(string hex) => (hex[0] == '0' ? '1' : '0') + hex[1..];
}
