namespace CoAP.NET.Proxy.Tests;

/// <summary>Many clients, many resources, and a cache that is small and forgets: nobody gets the answer to another request.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class CacheStressTests
{
    private const int Clients = 8;
    private const int Rounds = 40;

    [Theory]
    [InlineData(1, 2 * 1024)]
    [InlineData(2, 8 * 1024 * 1024)]
    [Rfc("7252-5.7.1-3")]
    public async Task Each_client_gets_the_response_to_its_request_and_no_stale_response(int seed, int cacheBytes)
    {
        await using ProxyWorld world = new(options =>
        {
            options.Limits.CacheBytes = cacheBytes;
            options.RequireVerified = false;
        });
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Answer(request =>
        {
            string key = KeyOf(request.Path, request.Queries.FirstOrDefault(), request.Accept);
            return CoapResults.Text($"{key}#{world.Clock.GetUtcNow().Ticks}").WithMaxAge(MaxAgeOf(key))
                .WithETag(CoapETag.FromVersion((ulong)world.Clock.GetUtcNow().Ticks));
        });
        await world.StartAsync();
        CoapClient[] clients = [.. Enumerable.Range(1, Clients).Select(i => world.MakeClient($"[2001:db8:{0x40 + i:x}::1]"))];
        Random random = new(seed);
        for (int round = 0; round < Rounds; round++)
        {
            List<(string Key, Task<CoapResponse> Response)> asked = [];
            DateTimeOffset before = world.Clock.GetUtcNow();
            foreach (CoapClient client in clients)
            {
                for (int i = 0; i < 3; i++)
                {
                    string path = $"/r{random.Next(6)}";
                    string? query = random.Next(2) == 0 ? null : $"q={random.Next(2)}";
                    CoapContentFormat? accept = random.Next(3) == 0 ? CoapContentFormat.TextPlain : null;
                    CoapRequest request = ProxyWorld.Ask($"{ProxyWorld.OriginUri}{path}{(query is null ? "" : "?")}{query}");
                    request.Accept = accept;
                    asked.Add((KeyOf(path, query, accept), client.SendAsync(request)));
                }
            }

            await world.RunAsync(() => Task.WhenAll(asked.Select(one => one.Response)));
            foreach ((string key, Task<CoapResponse> response) in asked)
            {
                string[] parts = (await response).EnsureSuccess().GetText().Split('#');
                Assert.Equal(key, parts[0]);
                Assert.InRange(long.Parse(parts[1]), (before - MaxAgeOf(key)).Ticks, world.Clock.GetUtcNow().Ticks);
            }

            world.Clock.Advance(FromMilliseconds(random.Next(1500)));
        }

        CoapProxyCounters counters = world.Proxy.GetCounters();
        Assert.True(counters.CacheHits > 0 && counters.Shared > 0, $"{counters}");
        Assert.Equal(Clients * Rounds * 3, counters.Requests);
    }

    private static string KeyOf(string path, string? query, CoapContentFormat? accept) => $"{path}?{query}|{accept}";

    private static TimeSpan MaxAgeOf(string key) => FromSeconds(1 + (key.Length % 3));
}
