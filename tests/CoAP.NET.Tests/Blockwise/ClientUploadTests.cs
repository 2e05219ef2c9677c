using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>
/// What a client sends when its body is larger than a message, and what it makes of the answers (RFC 7959 sections 2.3, 2.5 and 2.9).
/// </summary>
public sealed class ClientUploadTests : TransferTest
{
    [Fact]
    [Rfc("7959-2.5-2", "7959-2.3-4", "7959-4-2", "7959-2.10-1", "7959-2.2-1")]
    public async Task A_large_body_goes_in_blocks_from_the_first_on_with_its_size_format_and_condition()
    {
        HandServer server = new();
        Answer = server.Answer;
        byte[] body = Bytes(2500);
        CoapRequest request = new(CoapMethod.Put, Uri + "?a=b") { Content = CoapContent.Binary(body) };
        request.Options.IfNoneMatch = true;
        CoapResponse response = await Within(Client.SendAsync(request));
        response.Gives(CoapCode.Changed);
        Assert.Null(response.Options.Block1);
        Assert.Equal(body, Assert.Single(server.Stored));
        Assert.Equal(["0/1/1024", "1/1/1024", "2/0/1024"], Block1s);
        Assert.Equal([2500u, null, null], Requests.Select(sent => sent.Options.Size1));
        Assert.Equal([true, false, false], Requests.Select(sent => sent.Options.IfNoneMatch));
        Assert.All(Requests, sent => Assert.Equal(CoapContentFormat.OctetStream, sent.Options.ContentFormat));
        Assert.All(Requests, sent => Assert.Equal("a=b", sent.Options.Get<UriQueryOption>()!.Value));
        Assert.All(Requests, sent => Assert.Empty(sent.Options.RequestTags));
        AssertAllIsFree();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_server_that_joins_blocks_by_their_token_gets_whole_bodies(bool isProtected)
    {
        // go-coap and node-coap do. go-coap answers 2.04 to a last block with a token of its own, and keeps nothing else.
        Transport.IsProtected = isProtected;
        HandServer server = new() { JoinsByToken = true };
        Answer = server.Answer;
        byte[][] bodies = [Bytes(2500), Bytes(5000, 2)];

        await Within(Client.PutAsync(Uri, CoapContent.Binary(bodies[0])));
        await Within(Client.PutAsync(Uri, CoapContent.Binary(bodies[1])));

        Assert.Equal(bodies, server.Stored);
        Assert.Equal(2, Requests.Select(sent => sent.Token).Distinct().Count());
        AssertAllIsFree();
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 3)]
    [Rfc("9175-4.2-1")]
    public async Task Over_DTLS_a_block_has_a_new_token_after_a_response_that_names_no_block(bool isProtected, int expected)
    {
        // Nothing else would bind a late copy of that response to its block.
        Transport.IsProtected = isProtected;
        Script(Reply(CoapCode.Continue), Reply(CoapCode.Continue), Reply(CoapCode.Changed));

        await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(2500)))).Gives(CoapCode.Changed);

        Assert.Equal(["0/1/1024", "1/1/1024", "2/0/1024"], Block1s);
        Assert.Equal(expected, Requests.Select(sent => sent.Token).Distinct().Count());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_restarted_upload_has_a_new_token(bool isProtected)
    {
        Transport.IsProtected = isProtected;
        Script(
            Reply(CoapCode.Continue, "0/1/1024"), Reply(CoapCode.RequestEntityIncomplete, "1/1/1024"),
            Reply(CoapCode.Continue, "0/1/1024"), Reply(CoapCode.Continue, "1/1/1024"), Reply(CoapCode.Changed, "2/0/1024"));

        await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(2500)))).Gives(CoapCode.Changed);

        CoapToken[] tokens = [.. Requests.Select(sent => sent.Token)];
        Assert.Equal([tokens[0], tokens[0], tokens[2], tokens[2], tokens[2]], tokens);
        Assert.NotEqual(tokens[0], tokens[2]);
    }

    [Fact]
    public async Task A_token_that_another_request_has_meanwhile_is_not_used_again()
    {
        HandServer server = new();
        Task<CoapObservation>? observing = null;
        Options.Parameters = Options.Parameters with { NStart = 2 };
        Answer = request =>
        {
            CoapMessage answer = server.Answer(request);
            observing ??= Client.ObserveAsync($"{Uri}/other");
            return answer;
        };

        await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(2500))));

        Assert.Equal(2, Requests.Select(sent => sent.Token).Distinct().Count());
        Assert.Single(server.Stored);
    }

    [Theory]
    [InlineData(0, "-")]
    [InlineData(64, "-")]
    [InlineData(65, "0/1/64 1/0/64")]
    [InlineData(128, "0/1/64 1/0/64")]
    [InlineData(129, "0/1/64 1/1/64 2/0/64")]
    [Rfc("7959-2.3-1")]
    public async Task All_blocks_but_the_last_are_full(int length, string blocks)
    {
        HandServer server = new();
        Answer = server.Answer;
        byte[] body = Bytes(length);
        await Within(Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(body), BlockSize = 64 }));
        Assert.Equal(blocks.Split(' '), Block1s);
        Assert.Equal(length == 0 ? Array.Empty<byte[]>() : [body], server.Stored);
    }

    [Fact]
    [Rfc("7959-2.3-3")]
    public async Task A_smaller_block_size_in_the_response_is_adopted_and_the_block_number_is_scaled()
    {
        Script(
            Reply(CoapCode.Continue, "0/1/32"), Reply(CoapCode.Continue, "4/1/32"), Reply(CoapCode.Continue, "5/1/32"),
            Reply(CoapCode.Changed, "6/0/32"), Reply(CoapCode.Changed));
        await Within(Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(Bytes(200)), BlockSize = 128 }));
        Assert.Equal(["0/1/128", "4/1/32", "5/1/32", "6/0/32"], Block1s);
        Assert.Equal([128, 32, 32, 8], Requests.Select(request => request.Payload.Length));

        // The next upload to this peer begins with that size, and none below it is cut.
        await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(32))));
        Assert.Equal("-", Block1s[^1]);
        HandServer server = new();
        Answer = server.Answer;
        await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(40))));
        Assert.Equal("1/0/32", Block1s[^1]);
    }

    [Fact]
    [Rfc("7959-2.3-3")]
    public async Task A_smaller_block_size_in_the_middle_of_an_upload_is_adopted_and_a_larger_size_is_ignored()
    {
        Script(
            Reply(CoapCode.Continue, "0/1/64"), Reply(CoapCode.Continue, "1/1/1024"), Reply(CoapCode.Continue, "2/1/16"),
            Reply(CoapCode.Changed, "12/0/16"));
        await Within(Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(Bytes(200)), BlockSize = 64 }));
        Assert.Equal(["0/1/64", "1/1/64", "2/1/64", "12/0/16"], Block1s);
    }

    [Fact]
    public async Task A_server_that_responds_to_each_block_separately_gets_all_blocks()
    {
        HandServer server = new() { IsAtomic = false };
        Answer = server.Answer;
        byte[] body = Bytes(300);
        await Within(Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(body), BlockSize = 128 }));
        Assert.Equal(["0/1/128", "1/1/128", "2/0/128"], Block1s);
        Assert.Equal(body, Assert.Single(server.Stored));
    }

    [Fact]
    public async Task A_success_without_a_block_before_the_last_one_ends_the_upload()
    {
        Script(Reply(CoapCode.Continue, "0/1/1024"), Reply(CoapCode.Changed));
        await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(9000)))).Gives(CoapCode.Changed);
        Assert.Equal(2, Requests.Count);
    }

    [Theory]
    [InlineData(0x80)]
    [InlineData(0x86)]
    [InlineData(0x88, 2)]
    [InlineData(0x8d)]
    [InlineData(0xa0)]
    [InlineData(0xa3)]
    [InlineData(0x9d)]
    public async Task An_error_in_the_middle_ends_the_upload_and_is_the_response(int code, int uploads = 1)
    {
        CoapCode error = new((byte)code);
        Answer = request => request.Options.Block1!.Value.Number == 1 ? Reply(error, "1/1/64") : Reply(CoapCode.Continue, "0/1/64");
        CoapResponse response = await Within(
            Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(Bytes(999)), BlockSize = 64 }));
        Assert.Equal(error, response.Code);
        Assert.Equal(2 * uploads, Requests.Count);
        AssertAllIsFree();
    }

    [Theory]
    [InlineData("1/1/64")]
    [InlineData("7/1/64")]
    [InlineData("0/1/7")]
    [Rfc("7959-C-2", "7959-2.2-1")]
    public async Task An_acknowledgement_of_another_block_fails_the_request(string block)
    {
        Script(Reply(CoapCode.Continue, block));
        await Assert.ThrowsAsync<CoapProtocolException>(() =>
            Within(Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(Bytes(999)), BlockSize = 64 })));
        Assert.Single(Requests);
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.BadBlocks]);
        AssertAllIsFree();
    }

    [Theory]
    [InlineData(100)]
    [InlineData(50)]
    public async Task A_2_31_after_the_last_block_fails_the_request(int length)
    {
        Answer = request => Reply(CoapCode.Continue, request.Options.Block1 is null ? null : $"{request.Options.Block1.Value.Number}/1/64");
        await Assert.ThrowsAsync<CoapProtocolException>(() =>
            Within(Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(Bytes(length)), BlockSize = 64 })));
        Assert.Equal(length > 64 ? 2 : 1, Requests.Count);
    }

    [Fact]
    [Rfc("7959-2.5-5")]
    public async Task A_4_13_with_a_smaller_block_size_is_retried_once_with_that_size()
    {
        Script(
            Reply(CoapCode.RequestEntityTooLarge, "0/1/32"), Reply(CoapCode.Continue, "0/1/32"), Reply(CoapCode.Continue, "1/1/32"),
            Reply(CoapCode.RequestEntityTooLarge, "2/0/16"));
        CoapResponse response = await Within(
            Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(Bytes(90)), BlockSize = 64 }));
        response.Gives(CoapCode.RequestEntityTooLarge);
        Assert.Equal(["0/1/64", "0/1/32", "1/1/32", "2/0/32"], Block1s);
    }

    [Theory]
    [InlineData(600, null, 512)]
    [InlineData(512, null, 256)]
    [InlineData(17, null, 16)]
    [InlineData(600, "0/1/64", 64)]
    [Rfc("7959-2.5-5")]
    public async Task A_4_13_to_a_body_in_a_single_message_is_retried_once_in_blocks(int length, string? hint, int size)
    {
        HandServer server = new();
        Answer = request => request.Options.Block1 is null ? Reply(CoapCode.RequestEntityTooLarge, hint) : server.Answer(request);
        byte[] body = Bytes(length);
        Assert.True((await Within(Client.PutAsync(Uri, CoapContent.Binary(body)))).IsSuccess);
        Assert.Equal(["-", $"0/1/{size}"], Block1s[..2]);
        Assert.Equal(body, Assert.Single(server.Stored));

        // And only once.
        Requests.Clear();
        Answer = _ => Reply(CoapCode.RequestEntityTooLarge);
        await Within(Client.PutAsync(Uri, CoapContent.Binary(body))).Gives(CoapCode.RequestEntityTooLarge);
        Assert.InRange(Requests.Count, 1, 2);
    }

    [Fact]
    public async Task A_4_13_to_a_body_of_16_bytes_is_the_response()
    {
        Answer = _ => Reply(CoapCode.RequestEntityTooLarge);
        await Within(Client.PutAsync(Uri, CoapContent.Binary(Bytes(16)))).Gives(CoapCode.RequestEntityTooLarge);
        Assert.Single(Requests);
    }

    [Fact]
    public async Task A_server_that_lost_the_body_gets_it_once_more_from_the_beginning()
    {
        HandServer server = new();
        int seen = 0;
        Answer = request => ++seen == 3 ? Reply(CoapCode.RequestEntityIncomplete) : server.Answer(request);
        byte[] body = Bytes(250);
        Assert.True((await Within(
            Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Binary(body), BlockSize = 64 }))).IsSuccess);
        Assert.Equal(["0/1/64", "1/1/64", "2/1/64", "0/1/64", "1/1/64", "2/1/64", "3/0/64"], Block1s);
        Assert.Equal(body, Assert.Single(server.Stored));
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.TransferRestarts]);
    }

    [Fact]
    [Rfc("7959-2.2-4")]
    public async Task A_body_with_more_blocks_than_there_are_numbers_fails_at_once_and_says_why()
    {
        using Stream huge = new PatternStream((1L << 24) + 1);
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Client.SendAsync(
            new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Stream(huge), BlockSize = 16 })));
        error.Mentions("16777216");
        Assert.Empty(Requests);
        Answer = _ => Reply(CoapCode.Changed);
        using Stream fits = new PatternStream(1L << 24);
        await Within(Client.SendAsync(new CoapRequest(CoapMethod.Put, Uri) { Content = CoapContent.Stream(fits), BlockSize = 16 }));
    }

    [Fact]
    public async Task A_request_with_long_options_uses_smaller_blocks()
    {
        HandServer server = new();
        Answer = server.Answer;
        byte[] body = Bytes(2000);
        await Within(Client.PutAsync($"{Uri}?{new string('q', 250)}", CoapContent.Binary(body)));
        Assert.Equal("0/1/512", Block1s[0]);
        Assert.Equal(body, Assert.Single(server.Stored));

        // What fits as it is needs no blocks.
        await Within(Client.PutAsync($"coap://192.0.2.1/other?{new string('q', 250)}", CoapContent.Binary(Bytes(800))));
        Assert.Equal("-", Block1s[^1]);
    }

    [Fact]
    public async Task A_request_with_explicit_block_options_is_sent_as_a_single_block_exchange()
    {
        Script(Reply(CoapCode.Continue, "0/1/16"), Reply(CoapCode.Content, null, "3/1/16", Bytes(16)));
        CoapRequest request = new(CoapMethod.Put, Uri) { Content = CoapContent.Binary(Bytes(16)) };
        request.Options.Block1 = Block("0/1/16");
        CoapResponse response = await Within(Client.SendAsync(request));
        Assert.Equal((CoapCode.Continue, "0/1/16"), (response.Code, response.Options.Block1.ToString()));
        response = await Within(Client.GetBlockAsync(Uri, 3, 16));
        Assert.Equal("3/1/16", response.Options.Block2.ToString());
        Assert.Equal(["-", "3/0/16"], Block2s);
        Assert.Equal(2, Requests.Count);
    }
}
