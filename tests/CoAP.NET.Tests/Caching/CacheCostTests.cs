using CoAP.NET.Testing;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Caching;

/// <summary>What a request costs that has nothing to do with the cache.</summary>
public sealed class CacheCostTests
{
    [Fact]
    public async Task A_request_that_keeps_away_from_the_cache_allocates_what_one_without_a_cache_does()
    {
        double without = await CostAsync(null);
        double bypassing = await CostAsync(new CoapCache());
        Assert.InRange(bypassing, without - 8, without + 8);
    }

    private static async Task<double> CostAsync(CoapCache? cache)
    {
        VirtualClock clock = new();
        DirectTransport transport = new();
        await using CoapClient client = new(new CoapEndpointOptions { TimeProvider = clock, Random = new VirtualRandom(1), Cache = cache });
        client.Endpoint.AddTransport(transport);
        CoapRequest request = new(CoapMethod.Get, "coap://192.0.2.1/x") { CacheMode = CoapCacheMode.Bypass };
        Spend(500);
        return Spend(500) / 500.0;

        // Only what this thread allocates: it sends and receives, others complete the tasks.
        long Spend(int count)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            for (int i = 0; i < count; i++)
            {
                _ = client.SendAsync(request);
                string sent = transport.TakeSent()[0];
                transport.Receive(CachedPeers.Server, $"6445{sent[4..8]}{sent[8..16]}ff31");
                clock.Advance(TimeSpan.FromSeconds(300));
            }

            return GC.GetAllocatedBytesForCurrentThread() - before;
        }
    }
}
