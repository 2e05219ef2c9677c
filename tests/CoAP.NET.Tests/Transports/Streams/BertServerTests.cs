using CoAP.NET.Tests.Blockwise;

namespace CoAP.NET.Tests.Transports.Streams;

// RFC 8323 section 6: block-wise transfer for reliable transports, in the role of a server.
public class BertServerTests : BodiesOnStreamsTest
{
    // What a message has beside the body, generously: less than a block of 1,024.
    private const uint Head = 200;

    [Fact]
    [Rfc("8323-6-1")]
    public async Task A_server_download_follows_Figure_13_of_RFC_8323()
    {
        byte[] body = Frames.Bytes(3072 + 5120 + 4711);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(3072 + Head));

        CoapMessage first = Ask(connection, Frames.Request(CoapMethod.Get, "x"));
        connection.Receive(Frames.Csm(5120 + Head));
        string second = AskHex(connection, "4101aab178c137");
        CoapMessage third = Ask(connection, Frames.Request(CoapMethod.Get, "x", block2: "87"));

        Assert.Equal(("0f", 3072), (first.Block2Of(), first.Payload.Length));
        Assert.Equal(("3f", 5120), (Frames.Read(second).Block2Of(), Frames.Read(second).Payload.Length));
        Assert.Equal(("87", 4711), (third.Block2Of(), third.Payload.Length));
        Assert.Equal(body, Frames.Join(first.Payload, Frames.Read(second).Payload, third.Payload));
        Assert.Equal((uint)body.Length, first.Options.Size2);
        Assert.Equal(first.ValueOf(OptionNumber.ETag), third.ValueOf(OptionNumber.ETag));
    }

    [Theory]
    [Rfc("8323-6-1")]
    [InlineData("/whole")]
    [InlineData("/stream")]
    public async Task A_server_upload_follows_Figure_14_of_RFC_8323(string path)
    {
        byte[] body = Frames.Bytes(8192 + 16384 + 5683);
        byte[]? came = null;
        Server.MapPut("/whole", request =>
        {
            came = request.Payload.ToArray();
            return CoapResults.Changed();
        });
        Server.MapPut("/stream", async (CoapRequestContext request) =>
        {
            MemoryStream all = new();
            await request.BodyReader.CopyToAsync(all);
            came = all.ToArray();
            return CoapResults.Changed();
        }).WithStreamedBody();
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        string name = path[1..];

        Assert.Equal("315faad10e0f",
            Frames.Write(await AskAsync(connection, Frames.Request(CoapMethod.Put, name, "0f", payload: body.AsMemory(0, 8192)))));
        Assert.Equal("315faad10e8f",
            Frames.Write(await AskAsync(connection, Frames.Request(CoapMethod.Put, name, "8f", payload: body.AsMemory(8192, 16384)))));
        Assert.Null(came);
        Assert.Equal("4144aad20e0187",
            Frames.Write(await AskAsync(connection, Frames.Request(CoapMethod.Put, name, "0187", payload: body.AsMemory(24576)))));

        Assert.Equal(body, came);

        // The thread that answers frees the body after that.
        await Eventually.IsTrueAsync(() => Server.BodyBytes == 0);
    }

    [Fact]
    public async Task A_handler_with_WithBodyInBlocks_gets_each_message_as_a_block()
    {
        List<string> blocks = [];
        Server.MapPut("/x", request =>
        {
            blocks.Add($"{request.Options.Block1} {request.Payload.Length}");
            return CoapResults.Changed();
        }).WithBodyInBlocks();
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        // Each is carried out by itself, which the more flag says.
        Assert.Equal("3144aad10e07", AskHex(connection, Frames.Write(Frames.Request(CoapMethod.Put, "x", "0f", payload: new byte[2048]))));
        Assert.Equal("3144aad10e27", AskHex(connection, Frames.Write(Frames.Request(CoapMethod.Put, "x", "27", payload: new byte[10]))));

        Assert.Equal(["0/1/BERT 2048", "2/0/BERT 10"], blocks);
    }

    [Theory]
    [Rfc("8323-6-1", "8323-5.3.2-1")]
    [InlineData("00e1", 1 << 20)]
    [InlineData("10e140", 1 << 20)]
    [InlineData("40e122048020", 1 << 20)]
    [InlineData("40e123010000", 1 << 20)]
    [InlineData("50e12301000020", 1152)]
    public async Task Size_exponent_7_gets_4_00_when_one_end_cannot_use_BERT(string csm, int ours)
    {
        Options.Limits.Connections.MaxMessageSize = ours;
        Server.MapGet("/x", () => CoapResults.Text("hi"));
        Server.MapPut("/x", () => CoapResults.Changed());
        await StartStreamsAsync();
        DirectConnection connection = Connect(csm);

        Ask(connection, Frames.Request(CoapMethod.Get, "x", block2: "07")).Gives(CoapCode.BadRequest);
        Ask(connection, Frames.Request(CoapMethod.Put, "x", block1: "0f", payload: new byte[1024])).Gives(CoapCode.BadRequest);
    }

    [Theory]
    [Rfc("8323-6-1")]
    [InlineData("50e12301000020", "07")]
    [InlineData("40e122048120", "07")]
    public async Task Size_exponent_7_is_answered_with_size_exponent_7_when_both_ends_can_use_BERT(string csm, string block)
    {
        Server.MapGet("/x", () => CoapResults.Text("hi"));
        await StartStreamsAsync();

        Assert.Equal(block, Ask(Connect(csm), Frames.Request(CoapMethod.Get, "x", block2: "07")).Block2Of());
    }

    [Theory]
    [InlineData("0f", 0, false)]
    [InlineData("0f", 1023, false)]
    [InlineData("0f", 1025, false)]
    [InlineData("0f", 3072, true)]
    [InlineData("07", 0, true)]
    [InlineData("07", 3000, true)]
    [InlineData("0e", 2048, false)]
    [InlineData("06", 1025, false)]
    public async Task A_BERT_message_before_the_last_must_have_a_multiple_of_1024_bytes(string block, int length, bool isTaken)
    {
        Server.MapPut("/x", () => CoapResults.Changed());
        await StartStreamsAsync();

        CoapMessage answer = Ask(Connect(), Frames.Request(CoapMethod.Put, "x", block, payload: new byte[length]));

        Assert.Equal(!isTaken ? CoapCode.BadRequest : block == "0f" ? CoapCode.Continue : CoapCode.Changed, answer.Code);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_body_above_the_MaxBodySize_of_its_route_gets_4_13_with_Size1(bool isStream)
    {
        CoapRouteHandlerBuilder route = Server.MapPut("/x", () => CoapResults.Changed()).WithMaxBodySize(5000);
        if (isStream)
        {
            route.WithStreamedBody();
        }

        await StartStreamsAsync();
        DirectConnection connection = Connect();

        Ask(connection, Frames.Request(CoapMethod.Put, "x", "0f", payload: new byte[4096])).Gives(CoapCode.Continue);
        CoapMessage refused = Ask(connection, Frames.Request(CoapMethod.Put, "x", "47", payload: new byte[905]));

        Assert.Equal((CoapCode.RequestEntityTooLarge, "1388"), (refused.Code, refused.ValueOf(OptionNumber.Size1)));
        Assert.Equal(0, Server.BodyBytes);
    }

    [Fact]
    public async Task A_block_that_does_not_follow_the_previous_block_gets_4_08()
    {
        Server.MapPut("/x", () => CoapResults.Changed());
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        Ask(connection, Frames.Request(CoapMethod.Put, "x", "0f", payload: new byte[4096]));

        Ask(connection, Frames.Request(CoapMethod.Put, "x", "1f", payload: new byte[4096])).Gives(CoapCode.RequestEntityIncomplete);
    }

    [Fact]
    [Rfc("8323-6-1")]
    public async Task The_server_reads_only_the_sent_part_of_a_seekable_stream()
    {
        const int length = 300_000;
        List<int> reads = [];
        Server.MapGet("/x", () => CoapResults.Stream(new SeekablePattern(length, reads), new CoapETag([1])));
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(65_536 + Head));
        List<byte> all = [];
        List<string?> blocks = [];
        while (all.Count < length)
        {
            int number = all.Count / 1024;
            CoapMessage block = await AskAsync(connection,
                Frames.Request(CoapMethod.Get, "x", block2: number == 0 ? null : Wire.Hex(BlockBytes(number))));
            blocks.Add(block.Block2Of());
            all.AddRange(block.Payload.Span);
        }

        Assert.Equal(PatternStream.Bytes(0, length), all);
        Assert.Equal(["0f", "040f", "080f", "0c0f", "1007"], blocks);
        Assert.All(reads, read => Assert.InRange(read, 1, 65_536 + (int)Head), throwIfEmpty: true);
    }

    [Fact]
    public async Task A_client_may_ask_for_smaller_blocks_during_a_download()
    {
        byte[] body = Frames.Bytes(9000);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(4096 + Head));

        CoapMessage first = Ask(connection, Frames.Request(CoapMethod.Get, "x"));
        CoapMessage second = Ask(connection, Frames.Request(CoapMethod.Get, "x", block2: "0104"));

        Assert.Equal(("0f", 4096), (first.Block2Of(), first.Payload.Length));
        Assert.Equal(("010c", 256), (second.Block2Of(), second.Payload.Length));
        Assert.True(second.Payload.Span.SequenceEqual(body.AsSpan(4096, 256)));
    }

    [Fact]
    [Rfc("8323-6-1")]
    public async Task The_response_to_a_BERT_upload_is_also_sent_by_BERT()
    {
        byte[] body = Frames.Bytes(7000);
        Server.MapPost("/x", request => CoapResults.Bytes(request.Payload));
        await StartStreamsAsync();
        DirectConnection connection = Connect(Frames.Csm(4096 + Head));

        Assert.Equal("0f", Ask(connection, Frames.Request(CoapMethod.Post, "x", "0f", payload: body.AsMemory(0, 4096))).Block1Of());
        CoapMessage first = Ask(connection, Frames.Request(CoapMethod.Post, "x", "47", payload: body.AsMemory(4096)));
        CoapMessage second = Ask(connection, Frames.Request(CoapMethod.Post, "x", block2: "47"));

        Assert.Equal(("47", "0f", 4096), (first.Block1Of(), first.Block2Of(), first.Payload.Length));
        Assert.Equal(("47", 2904), (second.Block2Of(), second.Payload.Length));
        Assert.Equal(body, Frames.Join(first.Payload, second.Payload));
    }

    [Fact]
    public async Task A_block_transfer_of_a_connection_ends_with_the_connection()
    {
        Server.MapPut("/x", () => CoapResults.Changed());
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        Ask(connection, Frames.Request(CoapMethod.Put, "x", "0f", payload: new byte[4096]));
        Assert.NotEqual(0, Server.BodyBytes);

        connection.Break();

        Assert.Equal(0, Server.BodyBytes);
        Ask(Connect(), Frames.Request(CoapMethod.Put, "x", "47", payload: new byte[10])).Gives(CoapCode.RequestEntityIncomplete);
    }

    [Fact]
    public async Task A_streamed_body_is_charged_for_the_messages_it_holds()
    {
        TaskCompletionSource mayRead = new();
        Server.MapPut("/x", async (CoapRequestContext request) =>
        {
            await mayRead.Task;
            await request.BodyReader.CopyToAsync(Stream.Null);
            return CoapResults.Changed();
        }).WithStreamedBody();
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        connection.Receive(Frames.Write(Frames.Request(CoapMethod.Put, "x", "0f", payload: new byte[100 * 1024])));

        connection.HasSentNothing();
        Assert.InRange(Server.BodyBytes - Server.Endpoint.Bodies.Requests.OpenStream, 200 * 1024, 220 * 1024);
        TaskCompletionSource<string> sent = new(RunContinuationsAsynchronously);
        connection.OnSent = hex => sent.TrySetResult(hex);
        mayRead.SetResult();
        Assert.Equal("0f", Frames.Read(await Within(sent.Task)).Block1Of());
        connection.OnSent = null;
        connection.Break();
    }

    private static byte[] BlockBytes(int number)
    {
        Span<byte> bytes = stackalloc byte[3];
        return bytes[..new BlockValue(number, more: false, BlockValue.BertSizeExponent).Write(bytes)].ToArray();
    }
}
