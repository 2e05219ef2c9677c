using System.Threading.Tasks.Dataflow;
using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Tests.Resources;

public class HotPathTests
{
    [Fact]
    public void A_request_that_a_handler_answers_synchronously_with_a_stored_result_allocates_nothing()
    {
        ResourceStage stage = new();
        CoapResult kept = CoapResults.Text("21.5");
        stage.MapGet("/sensors/temp", () => kept);
        stage.MapGet("/sensors/light", () => kept);
        CountingSink sink = new();
        stage.Block.LinkTo(sink, new DataflowLinkOptions { Append = false });
        CoapExchange[] exchanges = [
            .. Enumerable.Range(0, 2000).Select(_ => stage.Exchange(ResourceStage.Message(CoapMethod.Get, "/sensors/temp")))];
        DataflowMessageHeader header = new(1);
        for (int i = 0; i < 1000; i++)
        {
            stage.Block.OfferMessage(header, exchanges[i], null, false);
        }

        int next = 1000;
        long allocated = Allocations.Least(() =>
        {
            for (int i = 0; i < 1000 / Allocations.Runs; i++)
            {
                stage.Block.OfferMessage(header, exchanges[next++], null, false);
            }
        });

        Assert.Equal(2000, sink.Count);
        Assert.Equal(0, allocated);
    }

    private sealed class CountingSink : ITargetBlock<CoapServerReply>
    {
        public int Count { get; private set; }

        public Task Completion => Task.CompletedTask;

        public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, CoapServerReply messageValue,
            ISourceBlock<CoapServerReply>? source, bool consumeToAccept)
        {
            Count++;
            return DataflowMessageStatus.Accepted;
        }

        public void Complete()
        {
        }

        public void Fault(Exception exception)
        {
        }
    }
}
