using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Connections;

// RFC 8323 sections 3.4 and 5.5: what happens to requests when their connection ends.
public class ReconnectTests : ClientConnectionTest
{
    [Fact]
    public async Task A_request_after_the_end_of_the_connection_opens_a_new_one_at_once()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync(Target));
        Streams.OpenedByUs[0].Break();

        await Within(Endpoint.GetAsync(Target));

        Assert.Equal(2, Streams.OpenedByUs.Count);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(4)]
    [InlineData(7)]
    [Rfc("8323-3.4-2")]
    public async Task An_idempotent_request_is_sent_once_more_when_its_connection_ends(byte code)
    {
        int asked = 0;
        Answers = (connection, frame) =>
        {
            if (frame.Code != code)
            {
                return Content(frame);
            }

            if (++asked == 1)
            {
                connection.Break(new IOException("reset"));
            }

            return Content(frame);
        };
        await StartClientAsync();
        await Within(Endpoint.PostAsync(Target, CoapContent.Text("warm")));

        CoapResponse response = await PassAsync(Endpoint.SendAsync(new CoapRequest((CoapMethod)code, Target)));

        response.Says("1");
        Assert.Equal(2, asked);
        Assert.Equal(1, Counters[CoapCounter.RequestsRepeated]);
        Assert.Equal(2, Streams.OpenedByUs.Count);
    }

    [Fact]
    public async Task An_idempotent_request_is_repeated_only_once()
    {
        Answers = static (connection, frame) =>
        {
            // A Ping is no request: a busy machine may come to it before the request is sent.
            if (frame.Code is > 0 and < 32)
            {
                connection.Break(new IOException("reset"));
            }

            return null;
        };
        await StartClientAsync();

        CoapConnectionException error =
            await Assert.ThrowsAsync<CoapConnectionException>(() => PassAsync(Endpoint.GetAsync(Target)));

        Assert.Equal(CoapError.Lost, error.Error);
        Assert.False(error.IsOutcomeUnknown);
        Assert.Equal(1, Counters[CoapCounter.RequestsRepeated]);
        Assert.Equal(2, Streams.OpenedByUs.Count);
    }

    [Fact]
    [Rfc("8323-3.4-2")]
    public async Task A_POST_on_a_lost_connection_fails_with_an_unknown_outcome()
    {
        Answers = static (connection, _) =>
        {
            connection.Break(new IOException("reset"));
            return null;
        };
        await StartClientAsync();

        CoapConnectionException error =
            await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.PostAsync(Target, CoapContent.Text("1"))));

        Assert.Equal(CoapError.Lost, error.Error);
        Assert.True(error.IsOutcomeUnknown);
        error.Mentions("coap+tcp://192.0.2.1:5683");
        Assert.Equal(0, Counters[CoapCounter.RequestsRepeated]);
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task RepeatsIdempotentRequests_can_be_disabled()
    {
        Options.Transports.Streams.RepeatsIdempotentRequests = false;
        Answers = static (connection, _) =>
        {
            connection.Break();
            return null;
        };
        await StartClientAsync();

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.GetAsync(Target)));

        Assert.Equal(CoapError.Closed, error.Error);
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task All_requests_in_progress_are_repeated_on_a_single_new_connection()
    {
        List<string> waiting = [];
        Answers = (connection, frame) =>
        {
            if (Streams.OpenedByUs.Count > 1)
            {
                return Content(frame);
            }

            waiting.Add(frame.Token);
            return null;
        };
        await StartClientAsync();
        Task<CoapResponse>[] sent = [.. Enumerable.Range(0, 10).Select(_ => Endpoint.GetAsync(Target))];
        await SettleAsync();
        Assert.Equal(10, waiting.Count);

        Streams.OpenedByUs[0].Break(new IOException("reset"));

        foreach (Task<CoapResponse> one in sent)
        {
            await PassAsync(one);
        }

        Assert.Equal(2, Streams.OpenedByUs.Count);
        Assert.Equal(10, Counters[CoapCounter.RequestsRepeated]);
    }

    [Fact]
    public async Task A_request_with_a_non_seekable_stream_is_not_repeated_on_a_new_connection()
    {
        Answers = static (connection, frame) =>
        {
            connection.Break(new IOException("reset"));
            return null;
        };
        await StartClientAsync();
        using OneWayStream body = new("body"u8.ToArray());

        CoapConnectionException error = await Assert.ThrowsAsync<CoapConnectionException>(
            () => PassAsync(Endpoint.SendAsync(new CoapRequest(CoapMethod.Put, Target) { Content = CoapContent.Stream(body) })));

        Assert.True(error.IsOutcomeUnknown);
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task A_request_with_a_seekable_stream_is_repeated_from_the_beginning_of_the_stream()
    {
        List<string> bodies = [];
        Answers = (connection, frame) =>
        {
            bodies.Add(frame.Rest[(frame.Rest.IndexOf("ff", Ordinal) + 2)..]);
            if (bodies.Count == 1)
            {
                connection.Break(new IOException("reset"));
            }

            return Reply(frame, "44");
        };
        await StartClientAsync();
        using MemoryStream body = new("abc"u8.ToArray());

        CoapResponse response =
            await PassAsync(Endpoint.SendAsync(new CoapRequest(CoapMethod.Put, Target) { Content = CoapContent.Stream(body) }));

        response.Gives(CoapCode.Changed);
        Assert.Equal(["616263", "616263"], bodies);
    }

    [Fact]
    public async Task The_Timeout_of_a_request_includes_its_repetition_on_a_new_connection()
    {
        Options.Transports.Streams.ReconnectDelay = FromSeconds(30);
        Answers = static (connection, _) =>
        {
            connection.Break(new IOException("reset"));
            return null;
        };
        await StartClientAsync();
        Task<CoapResponse> sent = Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, Target) { Timeout = FromSeconds(5) });
        await UntilAsync(() => Counters[CoapCounter.RequestsRepeated] == 1);

        // Less than the wait for the next connection.
        Clock.Advance(FromSeconds(5));

        await Assert.ThrowsAsync<CoapTimeoutException>(() => Within(sent));
        Assert.Single(Streams.OpenedByUs);
    }

    [Fact]
    public async Task A_request_is_not_repeated_again_after_a_second_Abort_with_the_same_cause()
    {
        // Each server aborts what is asked with the same words: the second time nobody hopes any more.
        Answers = static (_, _) => "40e5ff6e6f21";
        await StartClientAsync();
        CoapConnectionException first =
            await Assert.ThrowsAsync<CoapConnectionException>(() => PassAsync(Endpoint.GetAsync(Target)));
        Assert.Equal(CoapError.Aborted, first.Error);
        Assert.Equal("no!", first.Diagnostic);
        Assert.Equal(2, Streams.OpenedByUs.Count);

        await Assert.ThrowsAsync<CoapConnectionException>(() => PassAsync(Endpoint.GetAsync(Target)));

        Assert.Equal(3, Streams.OpenedByUs.Count);
        Assert.Equal(1, Counters[CoapCounter.RequestsRepeated]);
    }

    [Fact]
    public async Task A_request_on_a_released_connection_is_sent_on_a_new_connection_whatever_its_method()
    {
        string? held = null;
        Answers = (_, frame) =>
        {
            if (held is null)
            {
                held = Content(frame);
                return null;
            }

            return Content(frame, "32");
        };
        await StartClientAsync();
        Task<CoapResponse> first = Endpoint.GetAsync(Target);
        Clock.Advance(FromSeconds(5));
        Streams.OpenedByUs[0].Receive("00e4");

        CoapResponse second = await Within(Endpoint.PostAsync(Target, CoapContent.Text("1")));

        second.Says("2");
        Assert.Equal(2, Streams.OpenedByUs.Count);
        Assert.False(first.IsCompleted);
        Streams.OpenedByUs[0].Receive(held!);
        await Within(first).Says("1");
        await UntilAsync(() => Streams.OpenedByUs[0].IsClosed);
    }

    [Fact]
    [Rfc("8323-5.5-2")]
    public async Task A_request_within_the_Hold_Off_of_a_Release_fails_without_connecting()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync(Target));
        Clock.Advance(FromSeconds(5));

        Streams.OpenedByUs[0].Receive(Release(60));

        CoapConnectionException error =
            await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.PostAsync(Target, CoapContent.Text("1"))));
        Assert.Equal(CoapError.Released, error.Error);
        Assert.Equal(FromSeconds(60), error.RetryAfter);
        error.Mentions("60 s");
        Assert.False(error.IsOutcomeUnknown);
        Clock.Advance(FromSeconds(59));
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(Endpoint.GetAsync(Target)));
        Assert.Equal(1, Attempts);

        Clock.Advance(FromSeconds(1));
        await Within(Endpoint.GetAsync(Target));
        Assert.Equal(2, Attempts);
    }

    [Fact]
    [Rfc("8323-5.5-2")]
    public async Task The_Alternative_Address_of_a_Release_is_used_for_the_next_connection_only()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync(Target));
        Clock.Advance(FromSeconds(5));
        Streams.OpenedByUs[0].Receive(Release(null, "192.0.2.2:7000"));

        await Within(Endpoint.GetAsync(Target));
        Assert.Equal(CoapAddress.FromIPv4(0xc0000202, 7000), Streams.OpenedByUs[1].Remote);
        Clock.Advance(FromSeconds(5));
        Streams.OpenedByUs[1].Break();

        await Within(Endpoint.GetAsync(Target));
        Assert.Equal(s_first, Streams.OpenedByUs[2].Remote);
    }

    [Fact]
    [Rfc("8323-5.5-2")]
    public async Task All_connections_within_the_Hold_Off_go_to_the_Alternative_Address_or_the_request_fails()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync(Target));
        Clock.Advance(FromSeconds(5));
        Streams.OpenedByUs[0].Receive(Release(60, "example.org:70"));
        await Within(Endpoint.GetAsync(Target));
        Streams.OpenedByUs[1].Break();
        await Within(Endpoint.GetAsync(Target));
        Assert.Equal([70, 70], Streams.OpenedByUs.Skip(1).Select(connection => (int)connection.Remote.Port));

        Failing = static remote => remote.Port == 70 ? Refused(remote) : null;
        Streams.OpenedByUs[2].Break();
        CoapConnectionException error =
            await Assert.ThrowsAsync<CoapConnectionException>(() => PassAsync(Endpoint.GetAsync(Target)));
        Assert.Equal(CoapError.Released, error.Error);
        Assert.DoesNotContain(Streams.OpenedByUs.Skip(1), connection => connection.Remote == s_first);
    }

    [Fact]
    [Rfc("8323-10.1-1")]
    public async Task At_an_alternative_address_the_identity_of_the_host_that_was_asked_is_checked()
    {
        DirectStreamTransport secure = new("coaps+tcp");
        AnswerAll();
        await StartClientAsync(secure);
        await Within(Endpoint.GetAsync("coaps+tcp://one.example/x"));
        await Within(Endpoint.GetAsync("coaps+tcp://192.0.2.2/x"));
        string release = Release(null, "evil.example:1");
        secure.OpenedByUs[0].Receive(release);
        secure.OpenedByUs[1].Receive(release);

        await PassAsync(Endpoint.GetAsync("coaps+tcp://one.example/x"));
        await PassAsync(Endpoint.GetAsync("coaps+tcp://192.0.2.2/x"));

        Assert.Equal([(1, "one.example"), (1, "192.0.2.2")],
            secure.OpenedByUs.Skip(2).Select(connection => ((int)connection.Remote.Port, connection.ServerName)));
    }

    [Fact]
    [Rfc("8323-10.1-1")]
    public async Task An_unreachable_invalid_or_multicast_Alternative_Address_is_skipped()
    {
        AnswerAll();
        await StartClientAsync();
        await Within(Endpoint.GetAsync(Target));
        Clock.Advance(FromSeconds(5));
        Failing = static remote => remote == s_second ? Refused(remote) : null;
        Streams.OpenedByUs[0].Receive(Release(null, "224.0.1.1", "a/b", "192.0.2.2:5683"));

        await Within(Endpoint.GetAsync(Target));
        Assert.Equal([s_first, s_first], Streams.OpenedByUs.Select(connection => connection.Remote));
        Assert.Equal(3, Attempts);
    }

    [Fact]
    public async Task A_large_response_whose_connection_ends_in_the_middle_is_fetched_again_from_its_beginning()
    {
        int blocks = 0;
        Answers = (connection, frame) =>
        {
            blocks++;
            if (blocks == 2)
            {
                connection.Break(new IOException("reset"));
                return null;
            }

            // 2.05 with Block2 0/1/16 first, then 1/0/16.
            bool isFirst = blocks is 1 or 3;
            string payload = string.Concat(Enumerable.Repeat(isFirst ? "61" : "62", isFirst ? 16 : 3));
            string options = isFirst ? "d10a08" : "d10a10";
            int length = 3 + 1 + (payload.Length / 2);
            string head = length < 13 ? $"{length:x}{frame.Token.Length / 2:x}" : $"d{frame.Token.Length / 2:x}{length - 13:x2}";
            return $"{head}45{frame.Token}{options}ff{payload}";
        };
        await StartClientAsync();

        CoapResponse response = await PassAsync(Endpoint.GetAsync(Target));

        response.Says(new string('a', 16) + "bbb");
        Assert.Equal(4, blocks);
        Assert.Equal(1, Counters[CoapCounter.RequestsRepeated]);
    }

    private sealed class OneWayStream(byte[] bytes) : MemoryStream(bytes)
    {
        public override bool CanSeek => false;
    }
}
