using CoAP.NET.Messaging;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Messaging;

/// <summary>The wait for the exchanges of a session that another server continues.</summary>
public sealed class RetirementTests : EndpointTest
{
    [Fact]
    public async Task A_wait_after_an_ended_exchange_is_for_the_next_one()
    {
        await StartAsync();
        CoapShard shard = Server.Endpoint.Pipelines[0].Shard;
        Retirement retirement = new();

        Task first = retirement.NextChange();
        Assert.Same(first, retirement.NextChange());
        Assert.False(first.IsCompleted);
        retirement.OnReleased(shard);
        Assert.True(first.IsCompletedSuccessfully);

        // Without a new task the one that waits would run in circles until the last exchange has ended.
        Task second = retirement.NextChange();
        Assert.False(second.IsCompleted);
        retirement.OnReleased(shard);
        Assert.True(second.IsCompletedSuccessfully);
    }
}
