using CoAP.NET.Composition.Stages;
using CoAP.NET.Resources;

namespace CoAP.NET.Tests.Resources;

public sealed class UnansweredServerRequestsTests
{
    private readonly ResourceStage _stage = new();

    [Fact]
    public void A_request_answered_by_another_thread_meanwhile_is_not_tracked_as_unanswered()
    {
        UnansweredServerRequests unanswered = new(_stage.Environment, _stage.Served);
        CoapExchange exchange = _stage.Exchange(ResourceStage.Message(CoapMethod.Get, "/x"));
        Assert.True(exchange.TryClaimReply());

        Assert.True(unanswered.TryAdd(exchange));
        Assert.Equal(0, unanswered.Count);
    }

    [Fact]
    public void A_request_is_kept_until_it_has_its_answer()
    {
        UnansweredServerRequests unanswered = new(_stage.Environment, _stage.Served);
        CoapExchange exchange = _stage.Exchange(ResourceStage.Message(CoapMethod.Get, "/x"));

        Assert.True(unanswered.TryAdd(exchange));
        Assert.Equal(1, unanswered.Count);
        Assert.True(unanswered.Remove(exchange));
        Assert.False(unanswered.Remove(exchange));
        Assert.Equal(0, unanswered.Count);
    }
}
