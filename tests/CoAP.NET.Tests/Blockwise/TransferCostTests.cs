using CoAP.NET.Blockwise.Client;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>What a transfer costs: nothing for requests that need none, and constant memory for those of streams.</summary>
// Alone, as it looks at the heap of the process.
[Collection(VirtualTimeCollection.Name)]
public sealed class TransferCostTests : TransferTest
{
    [Fact]
    public async Task A_small_request_allocates_nothing_in_the_blockwise_step()
    {
        await Within(AnsweredAsync());
        CoAP.NET.CoapChannel channel = Assert.Single(Client.Endpoint.Pipelines[0].Channels.All());
        CoapResponse response = new(new CoapMessage(CoapCode.Content) { Payload = Bytes(5) }, channel.Remote);
        response.Options.ContentFormat = CoapContentFormat.TextPlain;
        OutgoingRequestPipeline chain = new(null!, new BlockwiseStep(Client.Endpoint.Environment));
        OutgoingRequest get = Outgoing(channel, CoapMethod.Get, null);
        OutgoingRequest put = Outgoing(channel, CoapMethod.Put, CoapContent.Text("on"));
        foreach (OutgoingRequest request in new[] { get, put })
        {
            long allocated = Allocations.Least(() =>
            {
                for (int i = 0; i < 2_000; i++)
                {
                    OutgoingRequestRun run = new(chain, request, 0);
                    if (run.Advance(StepOutcome.Go).Kind != RequestStepOutcomeKind.Go
                        || run.Advance(StepOutcome.Done(response)).Kind != RequestStepOutcomeKind.Done)
                    {
                        Assert.Fail("The step had something to do.");
                    }
                }
            });

            Assert.Equal(0, allocated);
        }
    }

    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_large_stream_takes_constant_memory(bool isUpload)
    {
        // COAP_TEST_TRANSFER_MIB: how much, in MiB; 1,024 at most.
        long mebibytes = CampaignSetting.Of("COAP_TEST_TRANSFER_MIB", 2);
        long length = mebibytes << 20;
        long highest = 0;
        long seen = 0;
        long taken = 0;
        Answer = request =>
        {
            lock (Requests)
            {
                Requests.Clear();
            }

            // There are 65,536 Message IDs for 247 s.
            Clock.Advance(FromMilliseconds(10));
            if (seen++ % 1024 == 0)
            {
                Forget();
                highest = Math.Max(highest, GC.GetTotalMemory(forceFullCollection: seen == 1));
            }

            if (isUpload)
            {
                BlockValue block = request.Options.Block1!.Value;
                Assert.Equal(taken, block.ByteOffset);
                Assert.True(request.Payload.Span.SequenceEqual(PatternStream.Bytes(block.ByteOffset, request.Payload.Length)));
                taken += request.Payload.Length;
                return Reply(block.More ? CoapCode.Continue : CoapCode.Changed, block.ToString());
            }

            BlockValue asked = request.Options.Block2 ?? new BlockValue(0, more: false, 6);
            return Reply(CoapCode.Content, null, $"{asked.Number}/{(asked.ByteOffset + 1024 < length ? 1 : 0)}/1024",
                PatternStream.Bytes(asked.ByteOffset, 1024), "01");
        };
        long before = GC.GetTotalMemory(forceFullCollection: true);
        ComparingStream destination = new();
        CoapRequest request = isUpload
            ? new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Stream(new PatternStream(length)) }
            : new CoapRequest(CoapMethod.Get, Uri) { Destination = destination };
        CoapResponse response = await Client.SendAsync(request).WaitAsync(FromMinutes(10));
        Assert.True(response.IsSuccess);
        Assert.Equal(length, isUpload ? taken : destination.Length);
        Assert.Equal(length >> 10, seen);

        // Message IDs are remembered for minutes, in a table of their own; garbage lies about. A body that was kept would show from some
        // hundred MiB on.
        Assert.InRange(highest - before, long.MinValue, (64 << 20) + (length / 8));
    }

    private async Task AnsweredAsync()
    {
        Answer = _ => Reply(CoapCode.Content);
        await Client.GetAsync(Uri);
    }

    private static OutgoingRequest Outgoing(CoAP.NET.CoapChannel channel, CoapMethod method, CoapContent? content)
    {
        CoapRequest request = new(method, Uri) { Content = content };
        CoapMessage message = new(request.Code) { Payload = request.Payload };
        message.Options.AddRange(request.Options);
        message.Options.Add(new UriPathOption("x"));
        return new OutgoingRequest
        {
            Request = request,
            Message = message,
            Channel = channel,
            Target = null,
            Timeout = null,
            StartedAt = 0
        };
    }
}
