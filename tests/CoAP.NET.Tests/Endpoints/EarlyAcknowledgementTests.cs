using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Endpoints;

/// <summary><see cref="CoapRequestContext.Acknowledge"/>: a handler acknowledges at once (RFC 7252 section 5.2.2).</summary>
public sealed class EarlyAcknowledgementTests : EndpointTest
{
    private const string GetSlow = "41017d3853b4736c6f77";
    private const string NonGetSlow = "51017d3853b4736c6f77";
    private readonly TaskCompletionSource<CoapResult> _answer = new();

    [Fact]
    public async Task A_handler_acknowledges_at_once_and_its_response_is_a_separate_one()
    {
        int runs = 0;
        Server.MapGet("/slow", (CoapRequestContext request, CancellationToken _) =>
        {
            runs++;
            request.Acknowledge();
            request.Acknowledge();
            return _answer.Task;
        });
        await StartAsync();
        Transport.Receive(Peer, GetSlow);
        Transport.HasSent("60007d38");
        Transport.Receive(Peer, GetSlow);
        Transport.HasSent("60007d38");
        Clock.Advance(FromSeconds(60));
        Transport.HasSentNothing();

        string response = await AnswerAsync();
        response.Begins("4145");
        response.Ends("53c0ff646f6e65");
        Transport.Receive(Peer, "6000" + response[4..8]);
        Transport.Receive(Peer, GetSlow);
        Transport.HasSent("60007d38");
        Assert.Equal(1, runs);
    }

    [Fact]
    public async Task A_handler_that_acknowledges_and_answers_at_once_sends_a_separate_response()
    {
        Server.MapGet("/slow", request =>
        {
            request.Acknowledge();
            return CoapResults.Text("done");
        });
        await StartAsync();
        Transport.Receive(Peer, GetSlow);
        string[] sent = Transport.TakeSent();
        Assert.Equal(2, sent.Length);
        Assert.Equal("60007d38", sent[0]);
        sent[1].Begins("4145");
    }

    [Theory]
    [InlineData("queued")]
    [InlineData("aside")]
    [InlineData("serial")]
    [InlineData("scheduler")]
    public async Task A_handler_can_acknowledge_under_every_execution(string execution)
    {
        CoapRouteHandlerBuilder route = Server.MapGet("/slow", (CoapRequestContext request, CancellationToken _) =>
        {
            request.Acknowledge();
            return _answer.Task;
        });
        _ = execution switch
        {
            "queued" => route.WithExecution(queued: 1),
            "aside" => route.WithExecution(CoapExecution.Offloaded()),
            "serial" => route.WithExecution(CoapExecution.Serial()),
            _ => route.WithExecution(CoapExecution.On(TaskScheduler.Default)),
        };
        await StartAsync();
        Task<string> acknowledgement = NextSentAsync();
        Transport.Receive(Peer, GetSlow);
        Assert.Equal("60007d38", await Within(acknowledgement));
        (await AnswerAsync()).Begins("4145");
    }

    [Fact]
    public async Task Acknowledge_has_no_effect_on_a_Non_confirmable_request_or_after_the_response()
    {
        CoapRequestContext? kept = null;
        Server.MapGet("/slow", (CoapRequestContext request, CancellationToken _) =>
        {
            kept = request;
            request.Acknowledge();
            return _answer.Task;
        });
        await StartAsync();
        Transport.Receive(Peer, NonGetSlow);
        Transport.HasSentNothing();
        (await AnswerAsync()).Begins("5145");
        kept!.Acknowledge();
        Transport.HasSentNothing();

        Server.MapGet("/quick", request =>
        {
            kept = request;
            return CoapResults.Text("done");
        });
        Exchange("41017d3953b5717569636b").Begins("61457d39");
        kept.Acknowledge();
        Clock.Advance(FromMinutes(10));
        kept.Acknowledge();
        Transport.HasSentNothing();
        Assert.Equal(Peer, kept.Peer.Address);
    }

    [Fact]
    public async Task Acknowledge_sends_nothing_after_the_server_was_disposed()
    {
        CoapRequestContext? kept = null;
        Server.MapGet("/slow", (CoapRequestContext request, CancellationToken _) =>
        {
            kept = request;
            return _answer.Task;
        });
        await StartAsync();
        Transport.Receive(Peer, GetSlow);
        await Server.DisposeAsync();
        Transport.TakeSent();
        kept!.Acknowledge();
        Transport.HasSentNothing();
    }

    private async Task<string> AnswerAsync()
    {
        Task<string> sent = NextSentAsync();
        _answer.SetResult(CoapResults.Text("done"));
        string response = await Within(sent);
        Transport.TakeSent();
        return response;
    }

    private Task<string> NextSentAsync()
    {
        TaskCompletionSource<string> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, bytes) => sent.TrySetResult(Wire.Hex(bytes));
        return sent.Task;
    }
}
