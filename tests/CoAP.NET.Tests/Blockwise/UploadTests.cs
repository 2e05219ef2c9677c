using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Bodies of requests that come in blocks and reach the handler as a whole (RFC 7959 sections 2.3 and 2.5).</summary>
public sealed class UploadTests : BlockwiseTest
{
    private readonly List<byte[]> _bodies = [];

    [Theory]
    [Rfc("7959-2.9.1-1", "7959-2.3-2", "7959-2.5-6")]
    [InlineData(CoapMethod.Put, "480333{0}8c01dad66b31fc4bbc6c617267652d75706461746510d102", "0a", "d2140500",
        "685f33{0}8c01dad66b31fc4bd10e")]
    [InlineData(CoapMethod.Post, "4802f7{0}dc74584dd4e8bc6abc6c617267652d63726561746510d102", "0a", "d2140500",
        "685ff7{0}dc74584dd4e8bc6ad10e")]
    public async Task Blocks_are_answered_as_captured_and_the_handler_runs_once_after_the_last(CoapMethod method, string head, string first,
        string size1, string answer)
    {
        Server.MapPut("/large-update", Take);
        Server.MapPost("/large-create", request =>
        {
            Take(request);
            return CoapResults.Created("/created/1");
        });
        await StartAsync();
        byte[] body = Body(1280);
        for (int i = 0; i < 20; i++)
        {
            Assert.Empty(_bodies);
            string block = i < 19 ? i == 0 ? first : new BlockValue(i, true, 2).Hex() : new BlockValue(i, false, 2).Hex();
            string id = (0x24 + i).ToString("x2", System.Globalization.CultureInfo.InvariantCulture);
            string option = i < 16 || block.Length == 2 ? head : head[..^4] + "d202";
            string request = string.Format(System.Globalization.CultureInfo.InvariantCulture, option, id) + block
                + (i == 0 ? size1 : string.Empty) + "ff" + Wire.Hex(body.AsSpan(i * 64, 64));
            string sent = Exchange(request);
            if (i < 16)
            {
                Assert.Equal(string.Format(System.Globalization.CultureInfo.InvariantCulture, answer, id) + block, sent);
            }

            if (i == 19)
            {
                CoapMessage last = s_serializer.Deserialize(Wire.Hex(sent));
                Assert.Equal(method == CoapMethod.Put ? CoapCode.Changed : CoapCode.Created, last.Code);
                Assert.Equal(new BlockValue(19, false, 2), last.Options.Block1);
                Assert.Equal(method == CoapMethod.Put ? string.Empty : "/created/1",
                    string.Concat(last.Options.GetAll<LocationPathOption>().Select(path => "/" + path.Value)));
            }
        }

        Assert.Equal(body, Assert.Single(_bodies));
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.3-3", "7959-2.4-8")]
    public async Task A_smaller_block_size_is_requested_and_the_client_continues_at_the_same_offset()
    {
        Options.Parameters = CoapTransmissionParameters.Default with { PreferredBlockSize = 32 };
        Server.MapPut("/x", Take);
        await StartAsync();
        byte[] body = Body(200);

        // Figure 9: 0/1/128 is answered 0/1/32, and the next block is 4/1/32.
        Assert.Equal("09", Block(CoapMethod.Put, "x", body, 0, 128).Options.Block1!.Value.Hex());
        Assert.Equal("49", Block(CoapMethod.Put, "x", body, 128, 32).Options.Block1!.Value.Hex());
        Assert.Equal("59", Block(CoapMethod.Put, "x", body, 160, 32).Options.Block1!.Value.Hex());
        CoapMessage last = Block(CoapMethod.Put, "x", body, 192, 32);
        Assert.Equal((CoapCode.Changed, "61"), (last.Code, last.Options.Block1!.Value.Hex()));
        Assert.Equal(body, Assert.Single(_bodies));
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.3-1", "7959-2.2-1")]
    public async Task Blocks_that_are_invalid_by_themselves_get_4_00()
    {
        Server.MapPut("/x", Take);
        await StartAsync();
        Raw("0a", 63).Gives(CoapCode.BadRequest);
        Raw("0a", 65).Gives(CoapCode.BadRequest);
        Raw("02", 65).Gives(CoapCode.BadRequest);
        Raw("07", 64).Gives(CoapCode.BadRequest);
        Raw("0f", 1024).Gives(CoapCode.BadRequest);
        Get("x", new BlockValue(1, false, 7)).Gives(CoapCode.BadRequest);
        Send(Message(CoapMethod.Put, "x", options =>
        {
            options.Block1 = new BlockValue(0, false, 2);
            options.Block2 = new BlockValue(1, false, 2);
        })).Gives(CoapCode.BadRequest);
        Raw("00000000", 16).Gives(CoapCode.BadOption);
        Assert.Empty(_bodies);
        Assert.Equal(0, Bodies.Count);
    }

    [Fact]
    [Rfc("7959-2.5-1", "7959-2.9.2-1")]
    public async Task A_block_after_a_gap_or_without_a_first_block_gets_4_08()
    {
        Server.MapPut("/x", Take);
        await StartAsync();
        byte[] body = Body(300);
        Block(CoapMethod.Put, "x", body, 64, 64).Gives(CoapCode.RequestEntityIncomplete);
        Block(CoapMethod.Put, "x", body, 0, 64).Gives(CoapCode.Continue);
        Block(CoapMethod.Put, "x", body, 128, 64).Gives(CoapCode.RequestEntityIncomplete);
        Block(CoapMethod.Put, "x", body, 256, 64).Gives(CoapCode.RequestEntityIncomplete);
        Assert.Empty(_bodies);
        Assert.Equal(3, Server.Counters[CoapCounter.BodiesIncomplete]);

        // What came is still there: the client may fill the gap.
        Block(CoapMethod.Put, "x", body, 64, 64).Gives(CoapCode.Continue);
        Clock.Advance(CoapTransmissionParameters.Default.ExchangeLifetime + FromSeconds(1));
        Block(CoapMethod.Put, "x", body, 128, 64).Gives(CoapCode.RequestEntityIncomplete);
        Assert.Equal(1, Server.Counters[CoapCounter.BodiesAbandoned]);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_partial_body_is_kept_as_long_as_its_client_may_wait_for_a_Message_ID()
    {
        // MAX_TRANSMIT_WAIT (10.5 s) is longer than EXCHANGE_LIFETIME (6.5 s) here.
        Options.Parameters = CoapTransmissionParameters.Default with
        {
            AckTimeout = FromSeconds(1),
            MaxRetransmit = 2,
            MaxLatency = FromSeconds(0.5)
        };
        Server.MapPut("/x", Take);
        await StartAsync();
        byte[] body = Body(100);
        Block(CoapMethod.Put, "x", body, 0, 64).Gives(CoapCode.Continue);

        Clock.Advance(FromSeconds(10));

        Block(CoapMethod.Put, "x", body, 64, 64).Gives(CoapCode.Changed);
        Assert.Equal(0, Server.Counters[CoapCounter.BodiesAbandoned]);
    }

    [Fact]
    [Rfc("7959-2.3-4")]
    public async Task Blocks_with_different_Content_Formats_are_not_joined()
    {
        Server.MapPut("/x", Take);
        await StartAsync();
        byte[] body = Body(100);
        Block(CoapMethod.Put, "x", body, 0, 64, options => options.ContentFormat = CoapContentFormat.Json).Gives(CoapCode.Continue);
        Block(CoapMethod.Put, "x", body, 64, 64, options => options.ContentFormat = CoapContentFormat.Cbor)
            .Gives(CoapCode.RequestEntityIncomplete);
        Block(CoapMethod.Put, "x", body, 64, 64).Gives(CoapCode.RequestEntityIncomplete);
        Assert.Empty(_bodies);
        Block(CoapMethod.Put, "x", body, 64, 64, options => options.ContentFormat = CoapContentFormat.Json).Gives(CoapCode.Changed);
        Assert.Equal(body, Assert.Single(_bodies));
    }

    [Fact]
    [Rfc("7959-2.5-3")]
    public async Task A_new_first_block_restarts_the_upload()
    {
        Server.MapPut("/x", Take);
        await StartAsync();
        Block(CoapMethod.Put, "x", Body(300, 1), 0, 64);
        Block(CoapMethod.Put, "x", Body(300, 1), 64, 64);
        byte[] body = Body(200, 2);
        Upload(CoapMethod.Put, "x", body, 64).Gives(CoapCode.Changed);
        Assert.Equal(body, Assert.Single(_bodies));
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.5-7")]
    public async Task A_repeated_block_is_answered_again_and_not_appended_twice()
    {
        Server.MapPut("/x", Take);
        await StartAsync();
        byte[] body = Body(200);
        for (int offset = 0; offset < 192; offset += 64)
        {
            // Same Message ID, then same block in a message of its own, then an older block.
            CoapMessage message = Message(CoapMethod.Put, "x", options => options.Block1 = BlockValue.FromOffset(offset, true, 2),
                body[offset..(offset + 64)]);
            CoapMessage answer = Send(message);
            Assert.Equal(Wire.Hex(s_serializer.Serialize(answer)), Exchange(Wire.Hex(s_serializer.Serialize(message))));
            Assert.Equal(answer.Options.Block1, Block(CoapMethod.Put, "x", body, offset, 64).Options.Block1);
            if (offset >= 128)
            {
                Block(CoapMethod.Put, "x", body, 64, 64).Gives(CoapCode.Continue);

                // The place of an older block with other bytes: a piece of another body.
                Block(CoapMethod.Put, "x", Body(200, 9), 64, 64).Gives(CoapCode.RequestEntityIncomplete);
            }
        }

        Block(CoapMethod.Put, "x", body, 192, 64).Gives(CoapCode.Changed);
        Assert.Equal(body, Assert.Single(_bodies));
    }

    [Fact]
    [Rfc("7959-2.5-4", "9175-3.3-1", "9175-3.4-2", "9175-3.4-3", "7959-7-1")]
    public async Task Bodies_of_two_clients_and_of_two_Request_Tags_of_one_client_do_not_mix()
    {
        Server.MapPut("/x", Take);
        Server.MapPost("/x", Take);
        await StartAsync();
        (CoapAddress Peer, byte[]? Tag, CoapMethod Method, byte[] Body)[] operations =
        [
            (Peer, null, CoapMethod.Put, Body(200, 1)),
            (Peer, [], CoapMethod.Put, Body(200, 2)),
            (Peer, [1], CoapMethod.Put, Body(200, 3)),
            (Peer, [2], CoapMethod.Put, Body(200, 4)),
            (Other, null, CoapMethod.Put, Body(200, 5)),
            (Other, [1], CoapMethod.Put, Body(200, 6)),
            (Other, null, CoapMethod.Post, Body(200, 7)),
        ];
        for (int offset = 0; offset < 200; offset += 32)
        {
            foreach ((CoapAddress peer, byte[]? tag, CoapMethod method, byte[] body) in operations)
            {
                CoapMessage answer = Block(method, "x", body, offset, 32, options => AddTag(options, tag), peer);
                Assert.Equal(offset + 32 < 200 ? CoapCode.Continue : CoapCode.Changed, answer.Code);
                Assert.False(answer.Options.Contains(OptionNumber.RequestTag));
            }
        }

        Assert.Equal(operations.Select(operation => Wire.Hex(operation.Body)), _bodies.Select(body => Wire.Hex(body)));

        // The last block of an operation that is over completes no other one.
        Block(CoapMethod.Put, "x", Body(200, 8), 0, 32, options => AddTag(options, [2]));
        Block(CoapMethod.Put, "x", operations[2].Body, 192, 32, options => AddTag(options, [2])).Gives(CoapCode.RequestEntityIncomplete);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.10-1")]
    public async Task Preconditions_of_the_first_block_reach_the_handler_with_the_whole_body()
    {
        Server.MapPut("/x", request =>
        {
            Take(request);
            Assert.False(request.Options.Contains(OptionNumber.Block1) || request.Options.Contains(OptionNumber.Size1));
            Assert.Null(request.Block1);
            return request.CheckPreconditions(exists: true) ?? CoapResults.Changed();
        });
        await StartAsync();
        byte[] body = Body(100);
        Block(CoapMethod.Put, "x", body, 0, 64, options =>
        {
            options.IfNoneMatch = true;
            options.Size1 = 100;
        });
        Assert.Empty(_bodies);
        CoapMessage last = Block(CoapMethod.Put, "x", body, 64, 64);
        Assert.Equal((CoapCode.PreconditionFailed, "12"), (last.Code, last.Options.Block1!.Value.Hex()));
        Assert.Equal(body, Assert.Single(_bodies));
        AssertAllFreed();
    }

    [Fact]
    public async Task A_body_in_a_single_block_is_a_plain_request_whose_response_has_Block1()
    {
        Server.MapPut("/x", Take);
        await StartAsync();
        byte[] body = Body(40);
        CoapMessage answer = Block(CoapMethod.Put, "x", body, 0, 64);
        Assert.Equal((CoapCode.Changed, new BlockValue(0, false, 2)), (answer.Code, answer.Options.Block1));
        Assert.Equal(body, Assert.Single(_bodies));
        Upload(CoapMethod.Put, "x", Body(128), 64).Gives(CoapCode.Changed);
        Assert.Equal(Body(128), _bodies[1]);
    }

    [Fact]
    public async Task An_upload_that_no_route_accepts_is_refused_at_its_first_block()
    {
        Server.MapPut("/x", Take).Consumes(CoapContentFormat.Json);
        await StartAsync();
        Block(CoapMethod.Put, "y", Body(100), 0, 64).Gives(CoapCode.NotFound);
        Block(CoapMethod.Post, "x", Body(100), 0, 64).Gives(CoapCode.MethodNotAllowed);
        Block(CoapMethod.Put, "x", Body(100), 0, 64).Gives(CoapCode.UnsupportedContentFormat);
        Assert.Equal(0, Bodies.Count);
        Upload(CoapMethod.Put, "x", Body(100), 64, options => options.ContentFormat = CoapContentFormat.Json).Gives(CoapCode.Changed);
    }

    private static void AddTag(CoapOptionCollection options, byte[]? tag)
    {
        if (tag is not null)
        {
            options.Add(new RequestTagOption(tag));
        }
    }

    private CoapMessage Raw(string block1, int length) =>
        Send(Message(CoapMethod.Put, "x", options => options.Add(OptionNumber.Block1, Wire.Hex(block1)), Body(length)));

    private CoapResult Take(CoapRequestContext request)
    {
        _bodies.Add(request.Payload.ToArray());
        return CoapResults.Changed();
    }
}
