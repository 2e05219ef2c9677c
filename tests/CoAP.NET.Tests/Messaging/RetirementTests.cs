using CoAP.NET.Messaging;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Messaging;

/// <summary>The wait for the exchanges of a session that another server continues.</summary>
public sealed class RetirementTests : EndpointTest
{
    [Fact]
    public async Task NextChange_returns_a_new_task_after_an_exchange_ended()
    {
        await StartAsync();
        CoapShard shard = Server.Endpoint.Pipelines[0].Shard;
        SessionHandover retirement = new();

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
