using CoAP.NET.Caching;
using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Shared;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Caching;

/// <summary>The snippets of docs/caching.md, so that they compile and do what the page says.</summary>
public sealed class CachingDocumentationTests
{
    [Fact]
    public void Every_snippet_of_the_page_stands_in_these_tests() => Snippets.AllStandInTests("caching.md", "Caching", 5);

    [Fact]
    public async Task A_cache_is_given_to_an_endpoint()
    {
        CoapCache cache = new(maxBytes: 1 << 20);
        await using CoapClient client = new(new CoapEndpointOptions { Cache = cache });

        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.1/temperature") { CacheMode = CoapCacheMode.Validate };

        request.CacheMode = CoapCacheMode.OnlyIfCached;
        client.Endpoint.AddTransport(new DirectTransport());
        await Failure.OfAsync(CoapError.NotCached, () => client.SendAsync(request));
        Assert.Equal(1, cache.Misses);
    }

    [Fact]
    public async Task A_response_says_that_it_comes_from_the_cache()
    {
        VirtualClock clock = new();
        DirectTransport transport = new();
        CoapCache cache = new();
        await using CoapClient client = new(new CoapEndpointOptions { Cache = cache, TimeProvider = clock });
        client.Endpoint.AddTransport(transport);
        Task<CoapResponse> first = client.GetAsync("coap://192.0.2.1/temperature");
        string sent = Assert.Single(transport.TakeSent());
        transport.Receive(CachedPeers.Server, $"6445{sent[4..8]}{sent[8..16]}ff31");
        await first.WaitAsync(FromMinutes(2));
        clock.Advance(FromSeconds(20));
        CoapResponse response = await client.GetAsync("coap://192.0.2.1/temperature");
        Console.WriteLine($"{response.GetText()}, from the cache: {response.FromCache}, "
            + $"{response.Age} old, good for {response.MaxAge}");
        Assert.True(response.FromCache);

        cache.Invalidate("coap://192.0.2.1/temperature");
        cache.Clear();
        Console.WriteLine(
            $"{cache.Hits} hits, {cache.Misses} misses, {cache.Validations} validated, "
                + $"{cache.Evictions} evicted, {cache.Count} stored in {cache.Bytes} B");
        Assert.Equal((1, 1, 0), (cache.Hits, cache.Misses, cache.Count));
    }

    [Fact]
    public async Task A_gateway_uses_a_cache()
    {
        CoapCache cache = new(timeProvider: new VirtualClock());
        int asked = 0;
        Task<CoapMessage> SendToServerAsync(CoapMessage request, string uri) => Task.FromResult(
            new CoapMessage(CoapCode.Content) { Payload = Encoding.UTF8.GetBytes($"{uri} {request.Code} {++asked}") });

        async Task<CoapMessage> AskAsync(CoapMessage request, string uri, CoapQuotaSource source)
        {
            CoapCacheTransaction? cached = cache.Begin(request, uri, source);
            if (cached?.Fresh is { } fresh)
            {
                return fresh;
            }

            cached?.AddTagsTo(request.Options);
            CoapMessage answer = await SendToServerAsync(request, uri);
            return cached?.Complete(answer) ?? answer;
        }

        await AskAsync(new CoapMessage(CoapCode.Get), "https://api.example.com/x", default);
        CoapMessage second = await AskAsync(new CoapMessage(CoapCode.Get), "https://api.example.com/x", default);
        Assert.Equal("https://api.example.com/x GET 1", Encoding.UTF8.GetString(second.Payload.Span));
    }
}
