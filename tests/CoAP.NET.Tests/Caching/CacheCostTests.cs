using CoAP.NET.Requesting;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Caching;

/// <summary>What a request costs that has nothing to do with the cache. Without a cache the step is not there at all.</summary>
public sealed class CacheCostTests
{
    [Fact]
    public void A_request_that_keeps_away_from_the_cache_allocates_nothing_in_its_step_and_is_not_awaited()
    {
        LastStep last = new();
        CacheStep step = new(new MessagingRig().Environment, new CoapCache()) { Next = last };
        OutgoingRequest request = new()
        {
            Request = new CoapRequest(CachedPeers.Request("x")) { CacheMode = CoapCacheMode.Bypass },
            Message = CachedPeers.Request("x"),
            Channel = CachedPeers.Channel(CachedPeers.Server),
            Target = null,
            Timeout = null,
            StartedAt = 0,
        };
        Assert.Same(last.Pending, step.SendAsync(request, CancellationToken.None));
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1_000; i++)
        {
            _ = step.SendAsync(request, CancellationToken.None);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(1_001, last.Count);
    }

    private sealed class LastStep : RequestStep
    {
        public int Count { get; private set; }

        public Task<CoapResponse> Pending { get; } = new TaskCompletionSource<CoapResponse>().Task;

        public override Task<CoapResponse> SendAsync(OutgoingRequest request, CancellationToken cancellationToken)
        {
            Count++;
            return Pending;
        }
    }
}
