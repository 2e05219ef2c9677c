using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// RFC 8323 sections 3.1 and 3.3: requests and responses on a connection.
public sealed class SignallingRequestTests : SignallingTest
{
    [Fact]
    [Rfc("8323-3.3-4")]
    public async Task Responses_are_sent_in_the_order_in_which_handlers_complete()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + GetX);
        connection.HasSent(AnswerX);
        await Finish(slow);
        connection.HasSent(AnswerSlow);
    }

    [Fact]
    public async Task Acknowledge_sends_nothing_on_a_connection()
    {
        TaskCompletionSource<CoapResult> slow = new();
        Server.MapGet("/slow", (CoapRequestContext request, CancellationToken _) =>
        {
            request.Acknowledge();
            return slow.Task;
        });
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        connection.HasSentNothing();
        await Finish(slow);
        connection.HasSent(AnswerSlow);
    }

    [Fact]
    [Rfc("8323-3.3-4")]
    public async Task Responses_are_matched_to_requests_by_token_within_the_connection()
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        (DirectConnection other, _) = await OpenAsync();
        (Task<CoapResponse> first, string firstToken) = Ask(connection, peer);
        (Task<CoapResponse> second, string secondToken) = Ask(connection, peer);
        other.Receive(ContentFor(firstToken));
        connection.Receive("0444" + secondToken);
        await Within(second).Gives(CoapCode.Changed);
        Assert.False(first.IsCompleted);
        connection.Receive(ContentFor(firstToken));
        await Within(first).Gives(CoapCode.Content);
    }

    [Fact]
    [Rfc("8323-3.3-5")]
    public async Task A_server_can_send_a_request_to_its_client_on_the_connection()
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        (Task<CoapResponse> response, string token) = Ask(connection, CoapPeer.Of(connection.Channel!));
        connection.Receive(GetX + ContentFor(token));
        connection.HasSent(AnswerX);
        await Within(response);
    }

    [Fact]
    [Rfc("8323-3.3-5")]
    public async Task An_endpoint_without_routes_answers_a_request_with_5_01()
    {
        await using CoapEndpoint client = new(Options);
        client.AddTransport(Streams);
        await client.StartAsync();
        (DirectConnection connection, _) = await OpenAsync();
        connection.Receive("2101" + "01b178");
        connection.HasSent("01a101");
    }

    [Fact]
    public async Task A_server_with_routes_answers_a_request_for_an_unknown_path_with_4_04()
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive("210101b179");
        connection.HasSent("018401");
    }

    [Fact]
    [Rfc("8323-3.3-6")]
    public async Task A_request_on_a_connection_is_never_retransmitted_and_never_deduplicated()
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        Task<CoapResponse> response = peer.SendAsync(new CoapRequest(CoapMethod.Get, "/y"));
        string request = Assert.Single(connection.TakeSent());

        // Length, code, token, Uri-Path: no type and no Message ID.
        string token = TokenOf(request);
        Assert.Equal($"2401{token}b179", request);
        Clock.Advance(FromSeconds(30));
        connection.HasSentNothing();
        connection.Receive(ContentFor(token));
        await Within(response);
        connection.HasSentNothing();

        // The same request twice is two requests.
        Server.MapGet("/x", () => CoapResults.Text("hi"));
        connection.Receive(GetX + GetX);
        connection.HasSent(AnswerX, AnswerX);
    }

    [Fact]
    public async Task Beyond_MaxRequests_reading_is_paused_until_a_request_is_answered()
    {
        Options.Limits.Connections.MaxRequests = 2;
        TaskCompletionSource<CoapResult>[] answers = [new(), new(), new()];
        int next = 0;
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => answers[next++].Task);
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        Assert.Equal(0, connection.Pauses);
        connection.Receive(GetSlow);
        Assert.Equal(1, connection.Pauses);

        // One that is not handed in before there is room for it.
        connection.Receive(GetSlow);
        Assert.Equal(2, next);
        await Finish(answers[0]);
        Assert.Equal(3, next);
        Assert.Equal(1, connection.Pauses);
        await Finish(answers[1]);
        Assert.Equal(0, connection.Pauses);
        await Finish(answers[2]);
        Assert.Equal(0, connection.Pauses);
        Assert.Equal(3, connection.TakeSent().Length);
        Assert.Equal(2, Count(CoapCounter.ReadingPauses));
    }

    [Fact]
    public async Task A_connection_paused_by_MaxRequests_is_not_treated_as_silent()
    {
        Options.Limits.Connections.MaxRequests = 1;
        MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        Clock.Advance(FromMinutes(5));
        connection.HasSentNothing();
        Assert.False(connection.IsClosed);
    }

    [Fact]
    public async Task Concurrent_requests_leave_no_request_in_progress_and_no_paused_connection()
    {
        Options.Limits.Connections.MaxRequests = 4;
        const int total = 4000;
        int asked = 0;
        using System.Collections.Concurrent.BlockingCollection<TaskCompletionSource<CoapResult>> answers = [];
        Server.MapGet("/slow", (CoapRequestContext _) =>
        {
            TaskCompletionSource<CoapResult> answer = new();
            answers.Add(answer);
            if (++asked == total)
            {
                answers.CompleteAdding();
            }

            return answer.Task;
        });
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Task[] workers = [.. Enumerable.Range(0, 3).Select(_ => OnThread(() =>
        {
            foreach (TaskCompletionSource<CoapResult> answer in answers.GetConsumingEnumerable())
            {
                answer.SetResult(CoapResults.Text("done"));
            }
        }))];
        for (int i = 0; i < total; i++)
        {
            connection.Receive(i % 7 == 0 ? CustodyPing + GetSlow : GetSlow);
        }

        await Within(Task.WhenAll(workers));

        // Some go on by themselves; the end of the connection waits for them.
        Task ended = CoAP.NET.Signalling.SignallingLayer.WhenEnded(connection.Channel!);
        connection.Receive(Release);
        await Within(ended);
        string[] sent = connection.TakeSent();
        Assert.Equal(Empty, sent[^1]);
        Assert.Equal(total, sent.Count(frame => frame == AnswerSlow));
        Assert.Equal((total + 6) / 7, sent.Count(frame => frame is CustodyPong or Pong));
        Assert.Equal(0, connection.Requests!.Count);
        Assert.Equal(0, connection.Pauses);
        Assert.False(connection.Requests.IsPaused);
    }

    [Theory]
    [InlineData(nameof(CoapStageLinks.MessagingToExchanges))]
    [InlineData(nameof(CoapStageLinks.ExchangesToResource))]
    public async Task A_request_that_a_user_block_declines_gets_5_03(string link)
    {
        bool isOpen = false;
        if (link == nameof(CoapStageLinks.MessagingToExchanges))
        {
            Options.Pipeline.Insert(CoapStageLinks.MessagingToExchanges, () => new GateBlock<CoAP.NET.CoapInbound>(() => isOpen));
        }
        else
        {
            Options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, () => new GateBlock<CoAP.NET.CoapExchange>(() => isOpen));
        }

        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetX + CustodyPing);
        connection.HasSent("31a3aad10105", CustodyPong);
        isOpen = true;
        connection.Receive(GetX);
        connection.HasSent(AnswerX);
    }

    [Fact]
    public async Task A_4_29_is_always_sent_on_a_connection()
    {
        Options.Limits.Requests.TooManyRequestsPerSecond = 1;
        Server.MapGet("/x", () => "hi").RequireRateLimiting(_ => FromSeconds(1));
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetX + GetX + GetX);
        string[] sent = connection.TakeSent();
        Assert.Equal(3, sent.Length);
        Assert.All(sent,
            frame => Assert.Equal(CoapCode.TooManyRequests,
                CoAP.NET.CoapStreamSerializer.Default.Deserialize(Wire.Hex(frame)).Code));
    }
}
