using System.Threading.Tasks.Dataflow;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>What becomes of an endpoint whose linked block faults, and of blocks that come too late.</summary>
public class FaultingBlockTests : EndpointTest
{
    [Fact]
    public async Task A_faulted_endpoint_logs_a_single_error_and_no_contradiction()
    {
        Options.Pipeline.Insert(
            CoapStageLinks.ExchangesToResource,
            static () => new TransformBlock<CoapExchange, CoapExchange>(
                static CoapExchange (_) => throw new InvalidOperationException("mine")));
        Server.MapGet("/x", static () => "x");
        await StartAsync();
        Transport.Receive(Peer, "40010001b178");
        await Assert.ThrowsAsync<CoapException>(() => Within(Server.Endpoint.Completion));
        await Eventually.IsTrueAsync(() => Logs.Entries.Any(static entry => entry.Id.Id == 1601));
        await Within(Server.DisposeAsync().AsTask());
        Assert.Equal(1601,
            Assert.Single(Logs.Entries, static entry => entry.Level >= LogLevel.Error && entry.Id.Id is 1600 or 1601 or 1607).Id.Id);
    }

    [Fact]
    public void A_block_that_is_inserted_after_the_endpoint_was_made_is_refused()
    {
        Assert.NotNull(Server);
        InvalidOperationException exception = Assert.Throws<InvalidOperationException>(
            () => Options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, static () => new BufferBlock<CoapExchange>()));
        exception.Mentions("before");
    }
}
