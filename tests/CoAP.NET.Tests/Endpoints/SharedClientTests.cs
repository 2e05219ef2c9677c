namespace CoAP.NET.Tests.Endpoints;

/// <summary>A client on an endpoint of another owner: its end ends its own exchanges, and nothing else of the endpoint.</summary>
public sealed class SharedClientTests : ClientTest
{
    private const string Uri = "coap://192.0.2.1/x";

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Disposing_the_client_ends_its_own_requests_only(bool isCancellable)
    {
        using CancellationTokenSource caller = new();
        Options.Parameters = Options.Parameters with { NStart = 10 };
        await using CoapClient shared = new(Client.Endpoint) { Timeout = FromMinutes(1) };
        await using CoapClient other = new(Client.Endpoint);
        Task<CoapResponse> own = shared.GetAsync(Uri, isCancellable ? caller.Token : CancellationToken.None);
        TakeOne();
        Task<CoapResponse> ofOther = other.GetAsync(Uri);
        Sent sent = TakeOne();
        Task<TimeSpan> ping =
            shared.PingAsync("coap://192.0.2.1", cancellationToken: isCancellable ? caller.Token : CancellationToken.None);
        Assert.Single(Transport.TakeSent());

        ValueTask disposing = shared.DisposeAsync();
        Assert.True(disposing.IsCompletedSuccessfully);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(own));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(ping));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(shared.GetAsync(Uri)));
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}ff31");
        await Within(ofOther).Says("1");

        // No copies of what ended.
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
        Task<CoapResponse> later = Client.GetAsync(Uri);
        sent = TakeOne();
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}ff32");
        await Within(later).Says("2");
    }

    [Fact]
    public async Task A_transfer_in_blocks_ends_with_the_client()
    {
        await using CoapClient shared = new(Client.Endpoint);
        Task<CoapResponse> own = shared.GetAsync(Uri);
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"6445{sent.MessageId}{sent.Token}d10a08ff{new string('6', 32)}");
        TakeOne();
        await shared.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(own));
        Clock.Advance(FromMinutes(5));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_cancelled_request_throws_with_the_cancellation_token_of_the_caller()
    {
        using CancellationTokenSource caller = new();
        await using CoapClient shared = new(Client.Endpoint);
        Task<CoapResponse> own = shared.GetAsync(Uri, caller.Token);
        TakeOne();
        await caller.CancelAsync();
        OperationCanceledException exception = await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Within(own));
        Assert.Equal(caller.Token, exception.CancellationToken);
        Assert.True(own.IsCanceled);
    }

    [Fact]
    public async Task A_group_request_ends_with_the_client()
    {
        await using CoapClient shared = new(Client.Endpoint);
        IAsyncEnumerable<CoapGroupResponse> responses = shared.GetFromGroupAsync("coap://224.0.1.187/x");
        await using IAsyncEnumerator<CoapGroupResponse> reader = responses.GetAsyncEnumerator(TestContext.Current.CancellationToken);
        Task<bool> next = reader.MoveNextAsync().AsTask();
        Sent sent = TakeOne();
        Transport.Receive(s_server, $"56450001{sent.Token}ff61");
        Assert.True(await Within(next));
        Assert.Equal("a", reader.Current.Response.GetText());
        next = reader.MoveNextAsync().AsTask();
        await shared.DisposeAsync();
        await Assert.ThrowsAsync<ObjectDisposedException>(() => Within(next));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await responses.GetAsyncEnumerator(default).MoveNextAsync());
    }

    [Fact]
    public async Task A_client_with_its_own_endpoint_uses_no_ClientExchanges()
    {
        await using CoapClient owner = new(Options);
        Assert.Null(owner.Exchanges);
    }
}
