using CoAP.NET.Requesting;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Caching;

/// <summary>The step by itself: what a request costs that has nothing to do with the cache, and notifications. Without a cache the step is not there at all.</summary>
public sealed class CacheStepTests
{
    [Fact]
    public void A_request_that_keeps_away_from_the_cache_allocates_nothing_in_its_step_and_is_not_awaited()
    {
        LastStep last = new();
        CacheStep step = new(new MessagingRig().Environment, new CoapCache()) { Next = last };
        OutgoingRequest request = Outgoing(CachedPeers.Request("x"), CoapCacheMode.Bypass);
        Assert.Same(last.Pending, step.SendAsync(request, CancellationToken.None));
        long before = GC.GetAllocatedBytesForCurrentThread();
        for (int i = 0; i < 1_000; i++)
        {
            _ = step.SendAsync(request, CancellationToken.None);
        }

        Assert.Equal(0, GC.GetAllocatedBytesForCurrentThread() - before);
        Assert.Equal(1_001, last.Count);
    }

    [Fact]
    [Rfc("7641-2-2")]
    public async Task A_notification_answers_plain_requests_until_a_newer_one_comes()
    {
        LastStep last = new();
        CacheStep step = new(new MessagingRig().Environment, new CoapCache()) { Next = last };
        CoapMessage registration = CachedPeers.Request("x");
        registration.Options.Observe = 0;
        OutgoingRequest observed = Outgoing(registration);
        CoapResponse notification = CachedPeers.Response(CoapCode.Content, "1", tag: 1);
        notification.Options.Observe = 5;
        step.Store(observed, notification);
        CoapResponse hit = await step.SendAsync(Outgoing(CachedPeers.Request("x")), CancellationToken.None);
        Assert.Equal("1", hit.GetText());
        Assert.Null(hit.Options.Observe);
        step.Store(observed, CachedPeers.Response(CoapCode.Content, "2", maxAge: 0));
        Assert.False(step.SendAsync(observed, CancellationToken.None).IsCompleted);
        Assert.False(step.SendAsync(Outgoing(CachedPeers.Request("x")), CancellationToken.None).IsCompleted);
        step.Store(observed, CachedPeers.Response(CoapCode.Valid, tag: 1));
        Assert.Equal("1", (await step.SendAsync(Outgoing(CachedPeers.Request("x")), CancellationToken.None)).GetText());
        step.Store(Outgoing(registration, CoapCacheMode.Bypass), CachedPeers.Response(CoapCode.Content, "3"));
        Assert.Equal("1", (await step.SendAsync(Outgoing(CachedPeers.Request("x")), CancellationToken.None)).GetText());
    }

    private static OutgoingRequest Outgoing(CoapMessage message, CoapCacheMode mode = CoapCacheMode.Default) => new()
    {
        Request = new CoapRequest(message) { CacheMode = mode },
        Message = message,
        Channel = CachedPeers.Channel(CachedPeers.Server),
        Target = null,
        Timeout = null,
        StartedAt = 0,
    };

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
