using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Transports.Streams;

namespace CoAP.NET.Tests.Signalling;

// RFC 8323 sections 3.1 and 3.3: requests and responses on a connection.
public sealed class SignallingRequestTests : SignallingTest
{
    [Fact]
    [Rfc("8323-3.3-4")]
    public async Task Requests_are_answered_in_the_order_in_which_answers_come()
    {
        TaskCompletionSource<CoapResult> slow = MapSlow();
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow + GetX);
        Assert.Equal([AnswerX], connection.TakeSent());
        await Finish(slow);
        Assert.Equal([AnswerSlow], connection.TakeSent());
    }

    [Fact]
    public async Task A_handler_that_acknowledges_sends_nothing_on_a_connection()
    {
        TaskCompletionSource<CoapResult> slow = new();
        Server.MapGet("/slow", (request, _) =>
        {
            request.Acknowledge();
            return slow.Task;
        });
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        Assert.Empty(connection.TakeSent());
        await Finish(slow);
        Assert.Equal([AnswerSlow], connection.TakeSent());
    }

    [Fact]
    [Rfc("8323-3.3-4")]
    public async Task Responses_find_their_requests_by_token_within_the_connection()
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        (DirectConnection other, _) = await OpenAsync();
        (Task<CoapResponse> first, string firstToken) = Ask(connection, peer);
        (Task<CoapResponse> second, string secondToken) = Ask(connection, peer);
        other.Receive(ContentFor(firstToken));
        connection.Receive("0444" + secondToken);
        Assert.Equal(CoapCode.Changed, (await Within(second)).Code);
        Assert.False(first.IsCompleted);
        connection.Receive(ContentFor(firstToken));
        Assert.Equal(CoapCode.Content, (await Within(first)).Code);
    }

    [Fact]
    [Rfc("8323-3.3-5")]
    public async Task A_server_asks_its_client_on_the_connection()
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        (Task<CoapResponse> response, string token) = Ask(connection, CoapPeer.Of(connection.Channel!));
        connection.Receive(GetX + ContentFor(token));
        Assert.Equal([AnswerX], connection.TakeSent());
        await Within(response);
    }

    [Fact]
    [Rfc("8323-3.3-5")]
    public async Task Who_serves_nothing_says_that_it_does_not()
    {
        await using CoapEndpoint client = new(Options);
        client.AddTransport(Streams);
        await client.StartAsync();
        (DirectConnection connection, _) = await OpenAsync();
        connection.Receive("2101" + "01b178");
        Assert.Equal(["01a101"], connection.TakeSent());
    }

    [Fact]
    public async Task Who_serves_something_says_what_it_does_not_know()
    {
        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive("210101b179");
        Assert.Equal(["018401"], connection.TakeSent());
    }

    [Fact]
    [Rfc("8323-3.3-6")]
    public async Task Nothing_is_repeated_however_long_a_peer_takes()
    {
        await StartStreamsAsync();
        (DirectConnection connection, CoapPeer peer) = await OpenAsync();
        Task<CoapResponse> response = peer.SendAsync(new CoapRequest(CoapMethod.Get, "/y"));
        string request = Assert.Single(connection.TakeSent());

        // Length, code, token, Uri-Path: no type and no Message ID.
        string token = TokenOf(request);
        Assert.Equal($"2401{token}b179", request);
        Clock.Advance(TimeSpan.FromSeconds(30));
        Assert.Empty(connection.TakeSent());
        connection.Receive(ContentFor(token));
        await Within(response);
        Assert.Empty(connection.TakeSent());

        // The same request twice is two requests.
        Server.MapGet("/x", () => CoapResults.Text("hi"));
        connection.Receive(GetX + GetX);
        Assert.Equal([AnswerX, AnswerX], connection.TakeSent());
    }

    [Fact]
    public async Task Beyond_the_bound_nothing_more_is_read_until_a_request_is_answered()
    {
        Options.Limits.MaxRequestsPerConnection = 2;
        TaskCompletionSource<CoapResult>[] answers = [new(), new(), new()];
        int next = 0;
        Server.MapGet("/slow", (_, _) => answers[next++].Task);
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
    public async Task A_connection_at_its_bound_is_not_held_to_be_silent()
    {
        Options.Limits.MaxRequestsPerConnection = 1;
        MapSlow();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetSlow);
        Clock.Advance(TimeSpan.FromMinutes(5));
        Assert.Empty(connection.TakeSent());
        Assert.False(connection.IsClosed);
    }

    [Fact]
    public async Task Requests_on_many_threads_leave_nothing_under_way_and_nothing_paused()
    {
        Options.Limits.MaxRequestsPerConnection = 4;
        const int total = 4000;
        int asked = 0;
        using System.Collections.Concurrent.BlockingCollection<TaskCompletionSource<CoapResult>> answers = [];
        Server.MapGet("/slow", _ =>
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
        Assert.Equal(0, connection.Channel!.Requests!.Count);
        Assert.Equal(0, connection.Pauses);
        Assert.False(connection.Channel.Requests.IsPaused);
    }

    [Theory]
    [InlineData(nameof(CoapSeams.MessagingToExchanges))]
    [InlineData(nameof(CoapSeams.ExchangesToResource))]
    public async Task A_request_that_a_block_declines_is_answered(string seam)
    {
        bool isOpen = false;
        if (seam == nameof(CoapSeams.MessagingToExchanges))
        {
            Options.Pipeline.Insert(CoapSeams.MessagingToExchanges, () => new GateBlock<CoAP.NET.Mesh.CoapInbound>(() => isOpen));
        }
        else
        {
            Options.Pipeline.Insert(CoapSeams.ExchangesToResource, () => new GateBlock<CoAP.NET.Mesh.CoapExchange>(() => isOpen));
        }

        MapX();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetX + CustodyPing);
        Assert.Equal(["31a3aad10105", CustodyPong], connection.TakeSent());
        isOpen = true;
        connection.Receive(GetX);
        Assert.Equal([AnswerX], connection.TakeSent());
    }

    [Fact]
    public async Task Refusals_of_a_limiter_are_always_sent()
    {
        Options.Limits.TooManyRequestsPerSecond = 1;
        Server.MapGet("/x", () => "hi").LimitRate(_ => TimeSpan.FromSeconds(1));
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        connection.Receive(GetX + GetX + GetX);
        string[] sent = connection.TakeSent();
        Assert.Equal(3, sent.Length);
        Assert.All(sent,
            frame => Assert.Equal(CoapCode.TooManyRequests,
                CoAP.NET.Serialization.CoapStreamSerializer.Default.Deserialize(Wire.Hex(frame)).Code));
    }
}
