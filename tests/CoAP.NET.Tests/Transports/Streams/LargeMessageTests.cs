using CoAP.NET.Blockwise;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Streams;

// RFC 8323 section 5.3.1: how large messages may be.
public class LargeMessageTests : BodiesOnStreamsTest
{
    [Fact]
    [Rfc("8323-5.3.1-1")]
    public async Task A_response_of_900_KiB_is_one_frame_to_a_peer_that_takes_a_mebibyte()
    {
        byte[] body = Frames.Bytes(900 * 1024);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();

        string frame = AskHex(Connect(), "2101aab178");

        // Len 15: 65,805 less than Content-Format, marker and 921,600 bytes take.
        frame.Begins($"f1{921_603 - 65_805:x8}45aac12aff");
        Assert.True(Frames.Read(frame).Payload.Span.SequenceEqual(body));
    }

    [Fact]
    public async Task A_request_of_900_KiB_in_one_frame_reaches_the_handler_whole()
    {
        byte[] body = Frames.Bytes(900 * 1024);
        Server.MapPut("/x", request => request.Payload.Span.SequenceEqual(body) ? CoapResults.Changed() : CoapResults.BadRequest());
        await StartStreamsAsync();

        Ask(Connect(), Frames.Request(CoapMethod.Put, "x", payload: body)).Gives(CoapCode.Changed);
    }

    [Theory]
    [Rfc("8323-5.3.1-1")]
    [InlineData(1152u)]
    [InlineData(1153u)]
    [InlineData(300u)]
    [InlineData(70_000u)]
    public async Task A_response_that_just_fits_Max_Message_Size_is_sent_whole_and_a_larger_response_in_blocks(uint size)
    {
        byte[] body = [];
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(size));

        // First byte, extended length, code, token, Content-Format, marker.
        int head = 1 + (size > 65_809 ? 4 : size > 273 ? 2 : 1) + 1 + 1 + 2 + 1;
        body = Frames.Bytes((int)size - head);
        string whole = AskHex(connection, "2101aab178");
        Assert.Equal((int)size, whole.Length / 2);
        Assert.Null(Frames.Read(whole).Block2Of());

        body = Frames.Bytes((int)size - head + 1);
        string block = AskHex(connection, "2101aab178");
        Assert.InRange(block.Length / 2, 1, (int)size);
        Assert.NotNull(Frames.Read(block).Block2Of());
    }

    [Fact]
    [Rfc("8323-5.3.1-1", "8323-5.3.2-1")]
    public async Task A_peer_with_a_Max_Message_Size_of_256_gets_smaller_blocks()
    {
        byte[] body = Frames.Bytes(1000);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(256));
        List<byte> all = [];
        for (int number = 0; all.Count < body.Length; number++)
        {
            CoapMessage block = Ask(connection,
                Frames.Request(CoapMethod.Get, "x", block2: number == 0 ? null : $"{(number << 4) | 3:x2}"));
            Assert.Equal($"{(number << 4) | (number < 7 ? 8 : 0) | 3:x2}", block.Block2Of());
            all.AddRange(block.Payload.Span);
        }

        Assert.Equal(body, all);
    }

    [Fact]
    [Rfc("8323-5.3-1")]
    public async Task A_later_CSM_changes_the_block_size()
    {
        byte[] body = Frames.Bytes(5000);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Assert.Equal(5000, Ask(connection, Frames.Request(CoapMethod.Get, "x")).Payload.Length);

        connection.Receive(Frames.Csm(1152, blocks: false));

        CoapMessage block = Ask(connection, Frames.Request(CoapMethod.Get, "x"));
        Assert.Equal("0e", block.Block2Of());
        Assert.Equal(1024, block.Payload.Length);
    }

    [Theory]
    [Rfc("8323-5.3.2-1", "8323-5.3.1-1")]
    [InlineData("x")]
    [InlineData("f")]
    public async Task A_large_response_gets_5_00_after_the_peer_refused_a_block(string path)
    {
        Server.MapGet("/x", () => CoapResults.Bytes(Frames.Bytes(1500)));
        Server.MapGet("/f", () => CoapResults.Stream(new MemoryStream(Frames.Bytes(1500)), new CoapETag([1])));
        await StartStreamsAsync();
        DirectConnection connection = Connect(BareCsm);

        CoapMessage block = Ask(connection, Frames.Request(CoapMethod.Get, path));
        Assert.Equal((CoapCode.Content, "0e", 1024), (block.Code, Frames.Block2Of(block), block.Payload.Length));

        PeerBlockwiseState.GetOrAdd(connection.Channel!).RefusesBlocks = true;
        CoapMessage refusal = Ask(connection, Frames.Request(CoapMethod.Get, path));
        Assert.Equal(CoapCode.InternalServerError, refusal.Code);
        Encoding.UTF8.GetString(refusal.Payload.Span).Mentions("does not fit a message to you");
        Assert.Single(Logs.Entries, static entry => entry.Text.Contains("5.00 was sent instead", Ordinal));
        Assert.Equal(1, Server.Endpoint.Counters[CoapCounter.ResponsesTooLarge]);
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.HandlerErrors]);
    }

    [Theory]
    [InlineData(null, false)]
    [InlineData(1152u, false)]
    [InlineData(1152u, true)]
    [InlineData(70_000u, false)]
    [InlineData(70_000u, true)]
    public async Task A_peer_gets_the_blocks_that_it_requests_with_any_capabilities_in_its_CSM(uint? maxMessageSize, bool hasBlocks)
    {
        byte[] body = Frames.Bytes(1500);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(maxMessageSize, hasBlocks));

        CoapMessage first = Ask(connection, Frames.Request(CoapMethod.Get, "x", block2: "06"));
        CoapMessage second = Ask(connection, Frames.Request(CoapMethod.Get, "x", block2: "16"));

        Assert.Equal(("0e", "16"), (first.Block2Of(), second.Block2Of()));
        Assert.Equal(body, Frames.Join(first.Payload, second.Payload));
    }

    [Fact]
    public async Task The_block_size_of_a_request_does_not_apply_to_other_requests()
    {
        byte[] body = Frames.Bytes(5000);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        CoapMessage block = Ask(connection, Frames.Request(CoapMethod.Get, "x", block2: "02"));
        CoapMessage whole = Ask(connection, Frames.Request(CoapMethod.Get, "x"));

        Assert.Equal((64, "0a"), (block.Payload.Length, block.Block2Of()));
        Assert.Equal((5000, null), (whole.Payload.Length, whole.Block2Of()));
    }

    [Fact]
    public async Task MaxBodySize_of_a_route_also_applies_to_a_body_in_one_frame()
    {
        bool ran = false;
        CoapResult Run()
        {
            ran = true;
            return CoapResults.Changed();
        }

        Server.MapPut("/x", Run).WithMaxBodySize(2000);
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        CoapMessage refused = Ask(connection, Frames.Request(CoapMethod.Put, "x", payload: Frames.Bytes(2001)));
        Assert.Equal((CoapCode.RequestEntityTooLarge, "07d0"), (refused.Code, refused.ValueOf(OptionNumber.Size1)));
        Assert.False(ran);

        Ask(connection, Frames.Request(CoapMethod.Put, "x", payload: Frames.Bytes(2000))).Gives(CoapCode.Changed);
    }

    [Fact]
    public async Task An_error_text_is_truncated_to_the_Max_Message_Size_of_the_peer()
    {
        Server.MapGet("/x", () => CoapResults.BadRequest(new string('x', 3000)));
        await StartStreamsAsync();

        string frame = AskHex(Connect(Frames.Csm(1152, blocks: false)), "2101aab178");

        Assert.InRange(frame.Length / 2, 1000, 1152);
        Assert.Equal(CoapCode.BadRequest, Frames.Read(frame).Code);
    }
}
