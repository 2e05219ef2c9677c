namespace CoAP.NET.Http.Tests;

/// <summary>Equal requests of the clients of a gateway that are under way at a time.</summary>
public sealed class SharedRequestTests : Origin
{
    private const string Uri = "coap://s.example.com/light";

    private readonly CoapHttpRequestCoalescer _shared = new();
    private readonly Pending _pending = new();

    [Fact]
    [Rfc("8075-8.1-1")]
    public async Task Equal_requests_are_sent_once_and_cancelled_when_the_last_caller_cancels()
    {
        using HttpMessageInvoker invoker = new(new CoapHttpMessageHandler(_pending) { SharedRequests = _shared, StreamsResponses = false });
        using CancellationTokenSource first = new();
        using CancellationTokenSource second = new();
        Task<HttpResponseMessage> leading = SendAsync(invoker, "GET", Uri, first.Token);
        Task<HttpResponseMessage> following = SendAsync(invoker, "GET", Uri, second.Token);
        await first.CancelAsync();

        Assert.Single(_pending.Asked);
        Assert.False(_pending.Asked[0].Token.IsCancellationRequested);
        await second.CancelAsync();
        Assert.True(_pending.Asked[0].Token.IsCancellationRequested);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => following);
        _pending.Fail(0);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => leading);

        // What is over is not joined.
        _ = SendAsync(invoker, "GET", Uri, CancellationToken.None);
        Assert.Equal(2, _pending.Asked.Count);
        _pending.Fail(1);
    }

    [Fact]
    public async Task Requests_that_differ_or_are_not_cacheable_are_sent_separately()
    {
        using HttpMessageInvoker invoker = new(new CoapHttpMessageHandler(_pending) { SharedRequests = _shared, StreamsResponses = false });
        using HttpMessageInvoker other = new(
            new CoapHttpMessageHandler(new Pending()) { SharedRequests = _shared, StreamsResponses = false });
        List<Task> sent =
        [
            SendAsync(invoker, "GET", Uri),
            SendAsync(other, "GET", Uri),
            SendAsync(invoker, "GET", Uri + "?on"),
            SendAsync(invoker, "GET", Uri, default, ("Accept", "application/json")),
            SendAsync(invoker, "GET", Uri, default, ("Cache-Control", "no-cache")),
            SendAsync(invoker, "GET", Uri, default, ("Cache-Control", "no-cache")),
            SendAsync(invoker, "GET", Uri, default, ("If-None-Match", "\"01\"")),
            SendAsync(invoker, "GET", Uri, default, ("If-None-Match", "\"01\"")),
            SendAsync(invoker, "POST", Uri),
            SendAsync(invoker, "POST", Uri),
        ];
        Assert.Equal(sent.Count - 1, _pending.Asked.Count);
        for (int i = 0; i < _pending.Asked.Count; i++)
        {
            _pending.Fail(i);
        }

        await Assert.ThrowsAsync<HttpRequestException>(() => sent[0]);
    }

    [Fact]
    public async Task All_callers_get_the_shared_response_and_it_is_counted()
    {
        await Server.StartAsync();
        BlockingClient held = new(Coap);
        using HttpMessageInvoker invoker = new(new CoapHttpMessageHandler(held) { SharedRequests = _shared });
        Task<HttpResponseMessage>[] sent = [.. Enumerable.Range(0, 5).Select(_ => SendAsync(invoker, "GET", Address + "/text"))];
        held.Go.SetResult();
        foreach (Task<HttpResponseMessage> task in sent)
        {
            using HttpResponseMessage response = await task;
            Assert.Equal("hello", await response.Content.ReadAsStringAsync());
        }

        Assert.Equal((1, 4), (held.Asked, _shared.Shared));
    }

    [Fact]
    public async Task Each_caller_gets_a_large_response_as_a_separate_stream()
    {
        byte[] body = [.. Enumerable.Range(0, 100_000).Select(i => (byte)(i * 31))];
        Server.MapGet("/large", () => CoapResults.Bytes(body));
        await Server.StartAsync();
        BlockingClient held = new(Coap);
        using HttpMessageInvoker invoker = new(new CoapHttpMessageHandler(held) { SharedRequests = _shared });
        Task<HttpResponseMessage>[] sent = [.. Enumerable.Range(0, 2).Select(_ => SendAsync(invoker, "GET", Address + "/large"))];
        held.Go.SetResult();
        foreach (Task<HttpResponseMessage> task in sent)
        {
            using HttpResponseMessage response = await task;
            Assert.Equal(body, await response.Content.ReadAsByteArrayAsync());
        }

        Assert.Equal((2, 0), (held.Asked, _shared.Shared));
    }

    private static Task<HttpResponseMessage> SendAsync(
        HttpMessageInvoker invoker, string method, string uri, CancellationToken cancellationToken = default,
        params (string Name, string Value)[] fields)
    {
        HttpRequestMessage request = new(new HttpMethod(method), uri);
        foreach ((string name, string value) in fields)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        return invoker.SendAsync(request, cancellationToken);
    }

    private sealed class Pending : ICoapClient
    {
        private readonly List<TaskCompletionSource<CoapResponse>> _answers = [];

        public List<(CoapRequest Request, CancellationToken Token)> Asked { get; } = [];

        public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
        {
            Asked.Add((request, cancellationToken));
            _answers.Add(new TaskCompletionSource<CoapResponse>());
            return _answers[^1].Task;
        }

        public Task<CoapObservation> ObserveAsync(
            CoapRequest request, CoapObservationOptions? options = null, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public void Fail(int index) => _answers[index].SetException(new CoapException("Nobody is there."));
    }

    private sealed class BlockingClient(ICoapClient inner) : ICoapClient
    {
        private int _asked;

        public TaskCompletionSource Go { get; } = new(RunContinuationsAsynchronously);

        public int Asked => Volatile.Read(ref _asked);

        public Task<CoapObservation> ObserveAsync(
            CoapRequest request, CoapObservationOptions? options = null, CancellationToken cancellationToken = default) =>
            throw new NotSupportedException();

        public async Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
        {
            Interlocked.Increment(ref _asked);
            await Go.Task;
            return await inner.SendAsync(request, cancellationToken);
        }
    }
}
