using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Blockwise.EndToEnd;

/// <summary>Bodies that no side may keep: COAP_TEST_TRANSFER_MIB of them each way (default 1; 1,024 at most).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LargeTransferTests(ITestOutputHelper output)
{
    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_large_body_passes_through_both_sides_in_constant_memory(bool isUpload)
    {
        long mebibytes = CampaignSetting.Of("COAP_TEST_TRANSFER_MIB", 1);
        long length = mebibytes << 20;
        await using TransferNetwork network = new();
        long before = 0;
        long highest = 0;
        long blocks = 0;
        void OnBlock()
        {
            // There are 65,536 Message IDs for 247 s.
            network.Clock.Advance(FromMilliseconds(10));
            if (blocks++ % 8192 == 0)
            {
                highest = Math.Max(highest, GC.GetTotalMemory(forceFullCollection: true) - before);
            }
        }

        ComparingStream taken = new();
        network.Server.MapPost("/up", async (CoapRequestContext request) =>
        {
            using Stream body = request.BodyReader.AsStream();
            byte[] buffer = new byte[1024];
            int read;
            while ((read = await body.ReadAsync(buffer).ConfigureAwait(false)) > 0)
            {
                taken.Write(buffer, 0, read);
                OnBlock();
            }

            return CoapResults.Changed();
        }).WithStreamedBody().WithMaxBodySize(1L << 30);
        network.Server.MapGet("/down", () =>
        {
            OnBlock();
            return CoapResults.Stream(new PatternStream(length), CoapETag.FromContent("1"u8));
        });
        await network.StartAsync();
        CoapClient client = network.Client();
        await TransferNetwork.Within(
            client.SendAsync(new CoapRequest(CoapMethod.Get, TransferNetwork.Uri + "down")
            {
                Destination = Stream.Null, Download = new CoapDownloadOptions { Offset = length - 1024 },
            }));
        before = GC.GetTotalMemory(forceFullCollection: true);
        blocks = 0;
        ComparingStream received = new();
        CoapRequest request = isUpload
            ? new CoapRequest(CoapMethod.Post, TransferNetwork.Uri + "up")
            {
                Content = CoapContent.Stream(new PatternStream(length, canSeek: false))
            }
            : new CoapRequest(CoapMethod.Get, TransferNetwork.Uri + "down") { Destination = received };
        long started = TimeProvider.System.GetTimestamp();
        Assert.True((await client.SendAsync(request).WaitAsync(FromMinutes(30))).IsSuccess);
        TimeSpan took = TimeProvider.System.GetElapsedTime(started);
        Assert.Equal(length, isUpload ? taken.Length : received.Length);
        output.WriteLine(
            $"{mebibytes} MiB {(isUpload ? "up" : "down")} in {took.TotalSeconds:f1} s, {blocks / took.TotalSeconds:f0} blocks/s, at "
                + $"most {highest / 1024.0:f0} KiB more on the heap");

        // The tables for deduplication and Message IDs are made with the first exchanges and do not grow with the body. The heap is that of
        // all tests that run at the same time, so that it says something only of a body that is larger than what they take.
        if (mebibytes >= 100)
        {
            Assert.InRange(highest, long.MinValue, 96 << 20);
        }
    }
}
