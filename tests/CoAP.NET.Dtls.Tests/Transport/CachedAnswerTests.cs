using CoAP.NET.Caching;

namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>The cache of a client over coaps: whom it asks is known before there is a session.</summary>
public sealed class CachedAnswerTests
{
    [Fact]
    public async Task A_cached_response_is_found_with_and_without_an_open_session()
    {
        int runs = 0;
        await using SecureEndpoints secure = new();
        secure.Server.MapGet("/count", () => CoapResults.Text($"{++runs}").WithMaxAge(FromHours(1)));
        await secure.StartAsync();
        CoapCache cache = new();
        CoapClient client = secure.Client(endpoint: options => options.Cache = cache);
        await client.GetAsync($"{secure.Host}/count").Says("1");
        await client.GetAsync($"{secure.Host}/count").Says("1");
        Assert.Equal((1, 1L, 1), (cache.Count, cache.Hits, runs));

        TaskCompletionSource ended = new(RunContinuationsAsynchronously);
        client.Endpoint.PeerDisconnected += (_, _) => ended.TrySetResult();
        Assert.Single(client.Endpoint.ConnectedPeers).Connection!.Close(null);
        await ended.Task.WaitAsync(FromMinutes(2));
        await client.GetAsync($"{secure.Host}/count").Says("1");
        Assert.Empty(client.Endpoint.ConnectedPeers);
    }

    [Fact]
    public async Task Endpoints_that_share_a_cache_do_not_share_responses_from_secured_sessions()
    {
        await using SecureEndpoints secure = await new SecureEndpoints().StartAsync();
        secure.Keys.Add("device-2", SecureEndpoints.Key);
        CoapCache cache = new();
        CoapClient one = secure.Client(endpoint: options => options.Cache = cache);
        CoapClient two = secure.Client("device-2", endpoint: options => options.Cache = cache);
        await one.GetAsync($"{secure.Host}/who").Says("device-1");
        await two.GetAsync($"{secure.Host}/who").Says("device-2");
        await one.GetAsync($"{secure.Host}/who").Says("device-1");
        Assert.Equal((2, 1L), (cache.Count, cache.Hits));
    }
}
