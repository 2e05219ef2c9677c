using CoAP.NET.Caching;
using CoAP.NET.Exchanges;
using CoAP.NET.Tests.Messaging;

namespace CoAP.NET.Tests.Caching;

/// <summary>
/// The step by itself: what a request costs that has nothing to do with the cache, and notifications. Without a cache the step is not there
/// at all.
/// </summary>
public sealed class CacheStepTests
{
    [Fact]
    public void A_request_that_bypasses_the_cache_allocates_nothing_and_is_not_awaited_in_the_cache_step()
    {
        CacheStep step = new(new MessagingRig().Environment, new CoapCache());
        OutgoingRequestPipeline chain = new(null!, step);
        OutgoingRequest request = Outgoing(CachedPeers.Request("x"), CoapCacheMode.Bypass);
        CoapResponse response = CachedPeers.Response(CoapCode.Content, "0");
        long allocated = Allocations.Least(() =>
        {
            for (int i = 0; i < 1_000; i++)
            {
                OutgoingRequestRun run = new(chain, request, 0);
                bool isSent = run.Advance(StepOutcome.Go).Kind == RequestStepOutcomeKind.Go;
                bool isOver = run.Advance(StepOutcome.Done(response)).Kind == RequestStepOutcomeKind.Done;
                if (!isSent || !isOver)
                {
                    Assert.Fail("The step had something to do.");
                }
            }
        });

        Assert.Equal(0, allocated);
    }

    [Fact]
    [Rfc("7641-2-2")]
    public async Task A_notification_answers_plain_requests_until_a_newer_notification_arrives()
    {
        CacheStep step = new(new MessagingRig().Environment, new CoapCache());
        OutgoingRequestPipeline chain = new(null!, step, new SilentStep());
        CoapMessage registration = CachedPeers.Request("x");
        registration.Options.Observe = 0;
        OutgoingRequest observed = Outgoing(registration);
        CoapResponse notification = CachedPeers.Response(CoapCode.Content, "1", tag: 1);
        notification.Options.Observe = 5;
        step.Store(observed, notification);
        CoapResponse hit = await chain.SendAsync(Outgoing(CachedPeers.Request("x")));
        hit.Says("1");
        Assert.Null(hit.Options.Observe);
        step.Store(observed, CachedPeers.Response(CoapCode.Content, "2", maxAge: 0));
        Assert.False(chain.SendAsync(observed).IsCompleted);
        Assert.False(chain.SendAsync(Outgoing(CachedPeers.Request("x"))).IsCompleted);
        step.Store(observed, CachedPeers.Response(CoapCode.Valid, tag: 1));
        await chain.SendAsync(Outgoing(CachedPeers.Request("x"))).Says("1");
        step.Store(Outgoing(registration, CoapCacheMode.Bypass), CachedPeers.Response(CoapCode.Content, "3"));
        await chain.SendAsync(Outgoing(CachedPeers.Request("x"))).Says("1");
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

    // Its answer never comes.
    private sealed class SilentStep : OutgoingRequestStep
    {
        public override StepOutcome Before(OutgoingRequest request) => StepOutcome.Wait(new TaskCompletionSource<CoapResponse>().Task);
    }
}
