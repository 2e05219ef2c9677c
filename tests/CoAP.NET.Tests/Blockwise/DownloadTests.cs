namespace CoAP.NET.Tests.Blockwise;

/// <summary>Answers that go out in blocks (RFC 7959 sections 2.4, 2.7 and 2.8).</summary>
public sealed class DownloadTests : BlockwiseTest
{
    [Theory]
    [Rfc("7959-2.4-1", "7959-2.2-3", "7959-2.4-4", "7959-4-2")]
    [InlineData("48013503da0de950816b8e11b56c61726765c102", 64, "0a")]
    [InlineData("4801cb00ecc8067b2101a4f4b56c61726765c0", 16, "08")]
    [InlineData("4801cb00ecc8067b2101a4f4b56c61726765c10a", 64, "0a")]
    [InlineData("4801cb00ecc8067b2101a4f4b56c61726765", 1024, "0e")]
    public async Task A_captured_request_gets_its_first_block_with_size_ETag_Content_Format_and_Block2(
        string request, int size, string block2)
    {
        byte[] body = Body(1280);
        Server.MapGet("/large", () => CoapResults.Bytes(body, CoapContentFormat.TextPlain));
        await StartAsync();
        string etag = CoapETag.FromContent(body, CoapContentFormat.TextPlain).ToString();
        string expected = "6845" + request[4..24] + "48" + etag + "80" + "b1" + block2 + "520500" + "ff" + Wire.Hex(body.AsSpan(0, size));
        Assert.Equal(expected, Exchange(request));
    }

    [Theory]
    [Rfc("7959-2.4-3", "7959-2.4-7", "7959-2.2-2")]
    [InlineData(1280, 64)]
    [InlineData(1280, 16)]
    [InlineData(128, 64)]
    [InlineData(129, 64)]
    [InlineData(2048, 1024)]
    [InlineData(1025, null)]
    [InlineData(1024, null)]
    [InlineData(0, 64)]
    [InlineData(100_000, null)]
    public async Task A_body_is_downloaded_whole_in_blocks_of_the_same_size(int length, int? size)
    {
        int runs = 0;
        byte[] body = Body(length);
        Server.MapGet("/large", () =>
        {
            runs++;
            return CoapResults.Bytes(body);
        });
        await StartAsync();
        Assert.Equal(body, Download("large", size));
        Assert.Equal(1, runs);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.4-8", "7959-2.4-3")]
    public async Task A_client_may_ask_for_smaller_blocks_in_the_middle()
    {
        // Figure 4: 0/1/128, then 2/0/64.
        Options.Parameters = CoapTransmissionParameters.Default with { PreferredBlockSize = 128 };
        byte[] body = Body(352);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartAsync();
        Assert.Equal("0b", Get("x").Options.Block2!.Value.Hex());
        foreach ((string asked, string answered) in new[] { ("22", "2a"), ("32", "3a"), ("42", "4a"), ("52", "52") })
        {
            CoapMessage answer = Send(Message(CoapMethod.Get, "x", options => options.Add(OptionNumber.Block2, Wire.Hex(asked))));
            BlockValue block = answer.Options.Block2!.Value;
            Assert.Equal(answered, block.Hex());
            Assert.Equal(body.AsSpan((int)block.ByteOffset, answer.Payload.Length), answer.Payload.Span);
            Assert.Null(answer.Options.Size2);
        }

        // Asked for larger ones than it prefers it goes on with its own at the same place.
        Assert.Equal("23",
            Send(Message(CoapMethod.Get, "x", options => options.Block2 = new BlockValue(1, false, 4))).Options.Block2!.Value.Hex());

        // The size a peer last asked for is remembered for it, and for it alone.
        Get("x", new BlockValue(0, false, 1));
        Assert.Equal("09", Get("x").Options.Block2!.Value.Hex());
        Assert.Equal("0b", Get("x", peer: Other).Options.Block2!.Value.Hex());
    }

    [Fact]
    [Rfc("7959-2.4-6", "7959-2.2-4")]
    public async Task A_download_may_start_at_any_block_and_a_block_after_the_end_gets_4_00()
    {
        byte[] body = Body(400);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartAsync();
        CoapMessage answer = Get("x", new BlockValue(5, true, 2));
        Assert.Equal((CoapCode.Content, new BlockValue(5, true, 2)), (answer.Code, answer.Options.Block2));
        Assert.Equal(body[320..384], answer.Payload.ToArray());
        foreach (int number in new[] { 7, 9999, BlockValue.MaxNumber })
        {
            CoapMessage beyond = Get("x", new BlockValue(number, false, 2));
            Assert.Equal(CoapCode.BadRequest, beyond.Code);
            Assert.False(beyond.Payload.IsEmpty);
            Get("x", new BlockValue(number, false, 2), peer: Other).Gives(CoapCode.BadRequest);
        }
    }

    [Fact]
    [Rfc("9175-3.8-1", "7959-2.4-4")]
    public async Task A_download_gets_the_representation_and_ETag_of_its_start_although_the_resource_changes()
    {
        int version = 0;
        Server.MapGet("/x", () => CoapResults.Bytes(Body(300, version)));
        await StartAsync();
        CoapMessage first = Get("x", new BlockValue(0, false, 2));
        version = 1;
        CoapMessage second = Get("x", new BlockValue(1, false, 2));
        Assert.Equal(first.Options.ETag!.Value.ToString(), second.Options.ETag!.Value.ToString());
        Assert.Equal(Body(300, 0)[64..128], second.Payload.ToArray());

        // Somebody else gets the new one, and keeps it beside; neither disturbs the other.
        CoapMessage other = Get("x", new BlockValue(0, false, 2), peer: Other);
        Assert.NotEqual(first.Options.ETag!.Value.ToString(), other.Options.ETag!.Value.ToString());
        Assert.Equal(Body(300, 0)[128..192], Get("x", new BlockValue(2, false, 2)).Payload.ToArray());
        Assert.Equal(Body(300, 1)[128..192], Get("x", new BlockValue(2, false, 2), peer: Other).Payload.ToArray());
        Assert.Equal((2, 2), (Responses.Count, Responses.SharedCount));

        // Back to the old content: the old tag. The same representation is kept once for both.
        version = 0;
        Assert.Equal(first.Options.ETag!.Value.ToString(),
            Get("x", new BlockValue(0, false, 2), peer: Other).Options.ETag!.Value.ToString());
        Assert.Equal((2, 1), (Responses.Count, Responses.SharedCount));

        // When it is gone the handler runs again, and the tag tells.
        Clock.Advance(FromMinutes(10));
        version = 2;
        CoapMessage late = Get("x", new BlockValue(3, false, 2));
        Assert.Equal(Body(300, 2)[192..256], late.Payload.ToArray());
        Assert.NotEqual(first.Options.ETag!.Value.ToString(), late.Options.ETag!.Value.ToString());
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-7-1")]
    public async Task A_representation_kept_for_a_peer_is_not_sent_to_another_peer()
    {
        Server.MapGet("/secret", request => request.Peer.Address == Peer ? CoapResults.Bytes(Body(300)) : CoapResults.Unauthorized());
        await StartAsync();
        Get("secret", new BlockValue(0, false, 2));
        Get("secret", new BlockValue(1, false, 2), peer: Other).Gives(CoapCode.Unauthorized);
    }

    [Theory]
    [Rfc("7959-2.7-1", "9175-3.4-2")]
    [InlineData(null, "0b")]
    [InlineData("02", "0a")]
    public async Task A_POST_in_blocks_runs_once_and_its_response_is_fetched_without_Block1_and_payload(string? block2,
        string answered)
    {
        int runs = 0;
        byte[] answer = Body(400, 3);
        Server.MapPost("/soap", request =>
        {
            runs++;
            Assert.Equal(Body(300), request.Payload.ToArray());
            return CoapResults.Changed(CoapContent.Binary(answer));
        });
        await StartAsync();
        byte[] tag = [7];
        Block(CoapMethod.Post, "soap", Body(300), 0, 128, options => options.Add(new RequestTagOption(tag)));
        Block(CoapMethod.Post, "soap", Body(300), 128, 128, options => options.Add(new RequestTagOption(tag)));
        CoapMessage message = Block(CoapMethod.Post, "soap", Body(300), 256, 128, options =>
        {
            options.Add(new RequestTagOption(tag));
            if (block2 is not null)
            {
                options.Add(OptionNumber.Block2, Wire.Hex(block2));
            }
        });
        Assert.Equal("23", message.Options.Block1!.Value.Hex());
        Assert.Equal(answered, message.Options.Block2!.Value.Hex());
        MemoryStream all = new();
        for (BlockValue block = message.Options.Block2!.Value; ; block = message.Options.Block2!.Value)
        {
            Assert.Equal(CoapCode.Changed, message.Code);
            all.Write(message.Payload.Span);
            if (!block.More)
            {
                break;
            }

            message = Send(Message(CoapMethod.Post, "soap", options =>
            {
                options.Add(new RequestTagOption(tag));
                options.Block2 = new BlockValue(block.Number + 1, false, block.SizeExponent);
            }));
            Assert.Null(message.Options.Block1);
        }

        Assert.Equal(answer, all.ToArray());
        Assert.Equal(1, runs);

        // Another operation, and one whose answer is gone, never run the handler for a later block.
        Send(Message(CoapMethod.Post, "soap", options => options.Block2 = new BlockValue(1, false, 2)))
            .Gives(CoapCode.RequestEntityIncomplete);
        Clock.Advance(FromMinutes(10));
        Send(Message(CoapMethod.Post, "soap", options =>
        {
            options.Add(new RequestTagOption(tag));
            options.Block2 = new BlockValue(1, false, 2);
        })).Gives(CoapCode.RequestEntityIncomplete);
        Assert.Equal(1, runs);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("8132-2.2-1", "8132-2.1-1")]
    public async Task A_kept_FETCH_response_is_found_by_the_payload_of_its_request()
    {
        int runs = 0;
        Server.MapFetch("/f", request =>
        {
            runs++;
            return CoapResults.Bytes(Body(200, request.Payload.Length));
        });
        await StartAsync();
        CoapMessage Fetch(int length, int? number) => Send(Message(CoapMethod.Fetch, "f", options =>
        {
            options.ContentFormat = CoapContentFormat.Json;
            options.Block2 = number is { } wanted ? new BlockValue(wanted, false, 2) : null;
        }, Body(length)));

        // Two at a time, each in one message, and later blocks with the payload again.
        Fetch(10, 0);
        Fetch(20, 0);
        Assert.Equal(Body(200, 10)[64..128], Fetch(10, 1).Payload.ToArray());
        Assert.Equal(Body(200, 20)[64..128], Fetch(20, 1).Payload.ToArray());
        Assert.Equal(2, runs);

        // In blocks: later ones come without it.
        Block(CoapMethod.Fetch, "f", Body(100), 0, 64, options => options.ContentFormat = CoapContentFormat.Json);
        CoapMessage answer = Block(CoapMethod.Fetch, "f", Body(100), 64, 64, options => options.ContentFormat = CoapContentFormat.Json);
        Assert.Equal((CoapCode.Content, "12", "0a"), (answer.Code, answer.Options.Block1!.Value.Hex(), answer.Options.Block2!.Value.Hex()));
        Assert.Equal(Body(200, 100)[128..192], Fetch(0, 2).Payload.ToArray());
        Assert.Equal(3, runs);
        Clock.Advance(FromMinutes(10));
        Fetch(0, 2).Gives(CoapCode.RequestEntityIncomplete);
    }

    [Fact]
    [Rfc("7959-2.8-1")]
    public async Task A_group_request_for_a_later_block_is_ignored()
    {
        Server.MapGet("/x", () => CoapResults.Bytes(Body(200)));
        await StartAsync();
        Transport.Receive(Peer, "51010001a1b178c112", CoAP.NET.CoapAddress.FromIPv4(0xe00001bb, 5683));
        Clock.Advance(FromMinutes(1));
        Transport.HasSentNothing();
    }

    [Fact]
    public async Task A_diagnostic_text_that_is_too_long_is_cut_and_has_no_second_block()
    {
        Server.MapGet("/x", () => CoapResults.BadRequest(new string('ä', 2000)));
        await StartAsync();
        CoapMessage answer = Get("x", new BlockValue(0, false, 2));
        Assert.Equal(CoapCode.BadRequest, answer.Code);
        Assert.Null(answer.Options.Block2);
        Assert.Equal(new string('ä', 32), Encoding.UTF8.GetString(answer.Payload.Span));
    }

    [Fact]
    public async Task A_response_with_large_options_is_sent_in_smaller_blocks()
    {
        Server.MapGet("/x", () => CoapResults.Bytes(Body(1000)).WithLocationQuery(new string('a', 200), new string('b', 200)));
        await StartAsync();
        CoapMessage answer = Get("x");
        Assert.Equal(new BlockValue(0, true, 5), answer.Options.Block2);
        Assert.Equal(Body(1000), Download("x"));
    }

    [Fact]
    [Rfc("7959-4-1")]
    public async Task The_size_is_sent_with_a_later_block_when_the_request_has_Size2()
    {
        Server.MapGet("/x", () => CoapResults.Bytes(Body(200)));
        await StartAsync();
        Assert.Equal(200u, Get("x", new BlockValue(1, false, 2), options => options.Size2 = 0).Options.Size2);
        Assert.Null(Get("x", new BlockValue(1, false, 2)).Options.Size2);
    }

    [Fact]
    public async Task A_request_for_a_later_block_is_not_answered_with_2_03()
    {
        CoapETag etag = CoapETag.FromVersion(1);
        Server.MapGet("/x", request => CoapResults.ValidOr(request, etag, () => CoapResults.Bytes(Body(200))));
        await StartAsync();
        Get("x", new BlockValue(0, false, 2), options => options.Add(new ETagOption(etag.ToArray()))).Gives(CoapCode.Valid);
        CoapMessage answer = Get("x", new BlockValue(1, false, 2), options => options.Add(new ETagOption(etag.ToArray())));
        Assert.Equal((CoapCode.Content, "01"), (answer.Code, answer.Options.ETag!.Value.ToString()));
    }

    [Fact]
    public async Task FETCH_payloads_that_differ_by_a_trailing_zero_are_different_requests()
    {
        Server.MapFetch("/x", request => CoapResults.Bytes(Body(300, request.Payload.Length)));
        await StartAsync();
        byte[][] payloads = [[1, 2], [1, 2, 0], [1, 2, 0, 0]];
        foreach (byte[] payload in payloads)
        {
            Assert.Equal(Body(300, payload.Length)[..64], Fetch(payload, 0));
        }

        Assert.Equal(3, Responses.Count);
        foreach (byte[] payload in payloads)
        {
            Assert.Equal(Body(300, payload.Length)[64..128], Fetch(payload, 1));
        }

        AssertAllFreed();

        byte[] Fetch(byte[] payload, int number) => Send(Message(
            CoapMethod.Fetch,
            "x",
            options =>
            {
                options.ContentFormat = CoapContentFormat.OctetStream;
                options.Block2 = new BlockValue(number, false, 2);
            },
            payload)).Payload.ToArray();
    }
}
