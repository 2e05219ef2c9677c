using CoAP.NET.AspNetCore.Proxying;
using CoAP.NET.Options;

namespace CoAP.NET.AspNetCore.Tests.Proxying;

/// <summary>Equal requests of HTTP clients that are under way at a time.</summary>
public sealed class SharedGetsTests
{
    private const string Uri = "coap://s.example.com/light";

    private readonly Pending _pending = new();

    [Fact]
    [Rfc("8075-8.1-1")]
    public async Task Equal_ones_are_sent_once_and_go_on_though_the_first_client_has_gone()
    {
        SharedGets shared = new(_pending);
        using CancellationTokenSource gone = new();
        Task<CoapResponse> first = shared.SendAsync(new CoapRequest(CoapMethod.Get, Uri), gone.Token);
        Task<CoapResponse> second = shared.SendAsync(new CoapRequest(CoapMethod.Get, Uri));
        await gone.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);

        Assert.Single(_pending.Asked);
        Assert.False(_pending.Asked[0].Token.IsCancellationRequested);
        _pending.Fail(0);
        Assert.IsType<CoapException>(await Record.ExceptionAsync(() => second));

        // What is over is not joined.
        _ = shared.SendAsync(new CoapRequest(CoapMethod.Get, Uri));
        Assert.Equal(2, _pending.Asked.Count);
        _pending.Fail(1);
    }

    [Fact]
    public void What_differs_or_is_one_clients_alone_is_sent_for_each()
    {
        SharedGets shared = new(_pending);
        CoapRequest Tagged()
        {
            CoapRequest request = new(CoapMethod.Get, Uri);
            request.Options.Add(new ETag([1]));
            return request;
        }

        CoapRequest[] requests =
        [
            new(CoapMethod.Get, Uri),
            new(CoapMethod.Get, Uri + "?on"),
            new(CoapMethod.Get, Uri) { Accept = CoapContentFormat.Json },
            new(CoapMethod.Get, Uri) { CacheMode = CoapCacheMode.Validate },
            new(CoapMethod.Get, Uri) { CacheMode = CoapCacheMode.Validate },
            Tagged(),
            Tagged(),
            new(CoapMethod.Post, Uri),
            new(CoapMethod.Post, Uri),
        ];
        foreach (CoapRequest request in requests)
        {
            _ = shared.SendAsync(request);
        }

        Assert.Equal(requests, _pending.Asked.Select(static asked => asked.Request));
    }

    private sealed class Pending : ICoapRequester
    {
        private readonly List<TaskCompletionSource<CoapResponse>> _answers = [];

        public List<(CoapRequest Request, CancellationToken Token)> Asked { get; } = [];

        public Task<CoapResponse> SendAsync(CoapRequest request, CancellationToken cancellationToken = default)
        {
            Asked.Add((request, cancellationToken));
            _answers.Add(new TaskCompletionSource<CoapResponse>());
            return _answers[^1].Task;
        }

        public void Fail(int index) => _answers[index].SetException(new CoapException("Nobody is there."));
    }
}
