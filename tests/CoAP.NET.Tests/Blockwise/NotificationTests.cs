using CoAP.NET.Composition.Stages;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>What is sent without a request at hand is cut as an answer is (RFC 7959 section 2.6).</summary>
public sealed class NotificationTests : BlockwiseTest
{
    [Fact]
    [Rfc("7959-2.6-1", "7959-2.6-2")]
    public async Task A_notification_carries_the_first_block_of_the_size_that_its_registration_asked_for()
    {
        byte[] body = Body(300, 1);
        Server.MapGet("/status", () => CoapResults.Bytes(body));
        await StartAsync();
        Get("status", new BlockValue(0, false, 5));
        CoapShardPipeline pipeline = Server.Endpoint.Pipelines[0];
        CoapChannel channel = Assert.Single(pipeline.Channels.All());
        CoapMessage registration = Message(CoapMethod.Get, "status", options =>
        {
            options.Observe = 0;
            options.Block2 = new BlockValue(0, false, 3);
        });
        CoapExchange exchange = new(channel, null, new CoapRequestContext(registration, channel));
        body = Body(300, 2);
        CoapResult result = CoapResults.Bytes(body);
        result.OwnOptions.Observe = 62354;
        Transport.TakeSent();
        pipeline.ExchangesOut.Run(new CoapServerReply(exchange, result));
        CoapMessage first = s_serializer.Deserialize(Wire.Hex(Assert.Single(Transport.TakeSent())));
        Assert.Equal((62354u, new BlockValue(0, true, 3), 300u), (first.Options.Observe, first.Options.Block2, first.Options.Size2));

        // The rest by requests without Observe and with another token; the body stays the one of the notification.
        byte[] expected = body;
        body = Body(300, 3);
        MemoryStream all = new();
        all.Write(first.Payload.Span);
        foreach (int number in new[] { 1, 2 })
        {
            CoapMessage next = Message(CoapMethod.Get, "status", options => options.Block2 = new BlockValue(number, false, 3));
            next.Token = new CoapToken([0x7c]);
            CoapMessage answer = Send(next);
            Assert.Null(answer.Options.Observe);
            Assert.Equal(first.Options.ETag!.Value.ToString(), answer.Options.ETag!.Value.ToString());
            all.Write(answer.Payload.Span);
        }

        Assert.Equal(expected, all.ToArray());
    }
}
