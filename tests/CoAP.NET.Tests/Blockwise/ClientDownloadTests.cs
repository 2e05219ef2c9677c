using CoAP.NET.Blockwise.Client;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Diagnostics;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>How a client puts a representation together from its blocks (RFC 7959 sections 2.4 and 2.7).</summary>
public sealed class ClientDownloadTests : TransferTest
{
    [Fact]
    [Rfc("7959-2.4-2", "7959-2.4-9", "7959-2.2-2")]
    public async Task A_large_representation_is_received_as_a_single_response()
    {
        HandServer server = new() { Body = Bytes(2500), ETag = [1, 2], TellsSize = true };
        Answer = server.Answer;
        CoapRequest request = new(CoapMethod.Get, Uri + "?x=1") { Accept = CoapContentFormat.OctetStream };
        request.Options.Add(new RequestTagOption([7]));
        request.Options.Add(65001 & ~3, [9]);
        CoapResponse response = await Within(Client.SendAsync(request));
        response.Gives(CoapCode.Content);
        Assert.Equal(server.Body, response.Payload.ToArray());
        Assert.Equal([1, 2], response.Options.ETag!.Value.ToArray());
        Assert.Null(response.Options.Block2);
        Assert.Null(response.Options.Size2);
        Assert.Equal(["-", "1/0/1024", "2/0/1024"], Block2s);
        Assert.Equal(3, Requests.Select(sent => sent.Token).Distinct().Count());
        Assert.All(Requests, sent =>
        {
            Assert.Equal("x=1", sent.Options.Get<UriQueryOption>()!.Value);
            Assert.Equal("large", sent.Options.Get<UriPathOption>()!.Value);
            Assert.Equal(CoapContentFormat.OctetStream, sent.Options.Accept);
            Assert.Equal([7], Assert.Single(sent.Options.RequestTags).ToArray());
            Assert.True(sent.Options.Contains(65001 & ~3));
        });
        AssertAllIsFree();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    [Rfc("9175-4.2-1")]
    public async Task The_rest_of_the_response_to_a_POST_is_asked_for_with_the_token_of_the_request(bool isProtected)
    {
        // go-coap finds the rest by the token: a request with another one it carries out again, with an empty body.
        Transport.IsProtected = isProtected;
        HandServer server = new() { Body = Bytes(2500) };
        CoapToken? first = null;
        int runs = 0;
        Answer = request =>
        {
            first ??= request.Token;
            runs += request.Options.Block2 is { Number: > 0 } && request.Token == first ? 0 : 1;
            return server.Answer(request);
        };

        CoapResponse response = await Within(Client.PostAsync(Uri, CoapContent.Binary(Bytes(10))));

        Assert.Equal(server.Body, response.Payload.ToArray());
        Assert.Equal(["-", "1/0/1024", "2/0/1024"], Block2s);
        Assert.Equal(1, runs);
        AssertAllIsFree();
    }

    [Theory]
    [InlineData(0, 1)]
    [InlineData(1, 1)]
    [InlineData(64, 1)]
    [InlineData(65, 2)]
    [InlineData(128, 2)]
    public async Task The_last_block_may_be_full(int length, int blocks)
    {
        HandServer server = new() { Body = Bytes(length), MaxSizeExponent = 2 };
        Answer = server.Answer;
        Assert.Equal(server.Body, (await Within(Client.GetAsync(Uri))).Payload.ToArray());
        Assert.Equal(blocks, Requests.Count);
    }

    [Fact]
    [Rfc("7959-2.4-9", "7959-2.6-2")]
    public async Task Observe_and_conditional_options_are_sent_in_the_first_request_only()
    {
        HandServer server = new() { Body = Bytes(100), MaxSizeExponent = 2 };
        Answer = server.Answer;
        CoapRequest request = new(CoapMethod.Get, Uri);
        request.Options.Observe = 0;
        request.Options.ETag = new CoapETag([5]);
        await Within(Client.SendAsync(request));
        Assert.Equal([0u, null], Requests.Select(sent => sent.Options.Observe));
        Assert.Equal([true, false], Requests.Select(sent => sent.Options.Contains(OptionNumber.ETag)));
    }

    [Fact]
    [Rfc("7959-2.4-2", "7959-2.4-8", "7959-2.2-3")]
    public async Task The_size_of_the_server_is_adopted_and_that_of_the_caller_is_proposed_at_once()
    {
        HandServer server = new() { Body = Bytes(200), MaxSizeExponent = 1 };
        Answer = server.Answer;
        Assert.Equal(server.Body,
            (await Within(Client.SendAsync(new CoapRequest(CoapMethod.Get, Uri) { BlockSize = 64 }))).Payload.ToArray());
        Assert.Equal(["0/0/64", "1/0/32", "2/0/32"], Block2s[..3]);
        Requests.Clear();
        Assert.Equal(server.Body,
            (await Within(Client.SendAsync(new CoapRequest(CoapMethod.Get, Uri) { BlockSize = 16 }))).Payload.ToArray());
        Assert.Equal(["0/0/16", "1/0/16"], Block2s[..2]);
    }

    [Fact]
    public async Task Small_preferred_blocks_of_a_peer_are_proposed_where_a_body_is_wanted()
    {
        Options.Parameters = new CoapTransmissionParameters { PreferredBlockSize = 128 };
        Answer = request => Reply(CoapCode.Content, payload: Bytes(3));
        await Within(Client.GetAsync(Uri));
        await Within(Client.PostAsync(Uri, null));
        await Within(Client.PutAsync(Uri, null));
        await Within(Client.DeleteAsync(Uri));
        Assert.Equal(["0/0/128", "0/0/128", "-", "-"], Block2s);
    }

    [Theory]
    [InlineData("2/1/64")]
    [InlineData("0/1/64")]
    [InlineData("1/1/32")]
    [InlineData("1/1/7")]
    [InlineData(null)]
    [Rfc("7959-C-2", "7959-2.2-1")]
    public async Task Another_block_than_the_one_asked_for_fails_the_request(string? block)
    {
        Script(Reply(CoapCode.Content, null, "0/1/64", Bytes(64)),
            Reply(CoapCode.Content, null, block, Bytes(block == "1/1/32" ? 32 : 64)));
        await Assert.ThrowsAsync<CoapProtocolException>(() => Within(Client.GetAsync(Uri)));
        Assert.Equal(2, Requests.Count);
        AssertAllIsFree();
    }

    [Theory]
    [InlineData("0/1/64", 63)]
    [InlineData("0/1/64", 65)]
    [InlineData("0/1/64", 0)]
    [InlineData("0/0/64", 65)]
    [InlineData("1/1/64", 64)]
    [Rfc("7959-2.3-1")]
    public async Task A_block_of_the_wrong_length_fails_the_request(string block, int length)
    {
        Script(Reply(CoapCode.Content, null, block, Bytes(length)));
        await Assert.ThrowsAsync<CoapProtocolException>(() => Within(Client.GetAsync(Uri)));
        Assert.Single(Requests);
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.BadBlocks]);
    }

    [Fact]
    public async Task A_block_number_scaled_to_smaller_blocks_is_the_same_offset()
    {
        byte[] body = Bytes(100);
        Script(Reply(CoapCode.Content, null, "0/1/64", body.AsMemory(0, 64)),
            Reply(CoapCode.Content, null, "2/1/32", body.AsMemory(64, 32)), Reply(CoapCode.Content, null, "3/0/32", body.AsMemory(96)));
        Assert.Equal(body, (await Within(Client.GetAsync(Uri))).Payload.ToArray());
        Assert.Equal(["-", "1/0/64", "3/0/32"], Block2s);
    }

    [Fact]
    [Rfc("7959-2.4-5")]
    public async Task A_representation_that_changes_during_the_download_is_fetched_again()
    {
        HandServer old = new() { Body = Bytes(200, 1), ETag = [1], MaxSizeExponent = 2 };
        HandServer changed = new() { Body = Bytes(150, 2), ETag = [2], MaxSizeExponent = 2 };
        int seen = 0;
        Answer = request => ++seen <= 2 ? old.Answer(request) : changed.Answer(request);
        CoapResponse response = await Within(Client.GetAsync(Uri));
        Assert.Equal(changed.Body, response.Payload.ToArray());
        Assert.Equal([2], response.Options.ETag!.Value.ToArray());
        Assert.Equal(["-", "1/0/64", "2/0/64", "0/0/64", "1/0/64", "2/0/64"], Block2s);
        Assert.Equal(1, Client.Endpoint.Counters[CoapCounter.TransferRestarts]);
    }

    [Theory]
    [InlineData(null, "01")]
    [InlineData("01", null)]
    [InlineData("01", "0100")]
    [Rfc("7959-2.4-5")]
    public async Task An_ETag_that_appears_or_disappears_is_a_change_and_repeated_changes_fail_the_request(string? first, string? second)
    {
        Answer = request => request.Options.Block2 is { Number: > 0 }
            ? Reply(CoapCode.Content, null, "1/0/64", Bytes(9), second)
            : Reply(CoapCode.Content, null, "0/1/64", Bytes(64), first);
        CoapProtocolException error = await Assert.ThrowsAsync<CoapProtocolException>(() => Within(Client.GetAsync(Uri)));
        error.Mentions("changed");
        Assert.Equal(8, Requests.Count);
        AssertAllIsFree();
    }

    [Theory]
    [InlineData(CoapMethod.Post, 2)]
    [InlineData(CoapMethod.Put, 2)]
    [InlineData(CoapMethod.Fetch, 8)]
    public async Task Only_a_safe_request_is_sent_again_when_the_representation_changes(CoapMethod method, int requests)
    {
        Answer = request => request.Options.Block2 is { Number: > 0 }
            ? Reply(CoapCode.Changed, null, "1/0/64", Bytes(9), "02")
            : Reply(CoapCode.Changed, null, "0/1/64", Bytes(64), "01");
        await Assert.ThrowsAsync<CoapProtocolException>(
            () => Within(Client.SendAsync(new CoapRequest(method, Uri) { Content = CoapContent.Text("q") })));
        Assert.Equal(requests, Requests.Count);

        // The payload of a FETCH is part of what is asked for (RFC 8132 section 2.1); that of others was carried out.
        Assert.All(Requests,
            request => Assert.Equal(request.Options.Block2 is { Number: > 0 } && method != CoapMethod.Fetch, request.Payload.IsEmpty));
    }

    [Theory]
    [InlineData(0x84)]
    [InlineData(0x88)]
    [InlineData(0x9d)]
    [InlineData(0xa3)]
    [Rfc("7959-C-3")]
    public async Task An_error_in_the_middle_of_a_download_is_the_response_and_no_further_request_is_sent(int code)
    {
        Script(Reply(CoapCode.Content, null, "0/1/64", Bytes(64)), Reply(new CoapCode((byte)code), null, "1/1/64", Bytes(64, 3)));
        CoapResponse response = await Within(Client.GetAsync(Uri));
        Assert.Equal((byte)code, response.Code.Value);
        Assert.Equal(Bytes(64, 3), response.Payload.ToArray());
        Clock.Advance(FromMinutes(10));
        Assert.Equal(2, Requests.Count);
        AssertAllIsFree();
    }

    [Fact]
    [Rfc("7959-C-3")]
    public async Task An_error_response_in_blocks_is_not_reassembled()
    {
        Script(Reply(CoapCode.NotFound, null, "0/1/64", Bytes(64)));
        CoapResponse response = await Within(Client.GetAsync(Uri));
        Assert.Equal((CoapCode.NotFound, 64), (response.Code, response.Payload.Length));
        Assert.Single(Requests);
    }

    [Fact]
    [Rfc("7959-C-1")]
    public async Task A_download_from_a_server_that_never_ends_fails_at_MaxResponseBodySize()
    {
        Options.Limits.Blockwise.MaxResponseBodySize = 10_000;
        Answer = request =>
            Reply(CoapCode.Content, null, $"{request.Options.Block2?.Number ?? 0}/1/1024", Bytes(1024), size2: uint.MaxValue);
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Client.GetAsync(Uri)));
        error.Mentions("10000");
        Assert.Equal(10, Requests.Count);
        AssertAllIsFree();
    }

    [Fact]
    [Rfc("7959-2.2-4", "7959-C-1")]
    public async Task A_download_fails_when_the_block_numbers_are_used_up()
    {
        CoapDownloadOptions last = new() { Offset = (1L << 24) - 16 };
        Answer = request => Reply(CoapCode.Content, null, $"{request.Options.Block2!.Value.Number}/1/16", Bytes(16));
        CoapException error = await Assert.ThrowsAsync<CoapException>(() => Within(Client.SendAsync(
            new CoapRequest(CoapMethod.Get, Uri) { Download = last, BlockSize = 16, Destination = new MemoryStream() })));
        error.Mentions("16777216");
        Assert.Equal(["1048575/0/16"], Block2s);
        await Assert.ThrowsAsync<CoapException>(() => Within(Client.SendAsync(
            new CoapRequest(CoapMethod.Get, Uri)
            {
                Download = new CoapDownloadOptions { Offset = 1 << 24 },
                BlockSize = 16,
                Destination = new MemoryStream()
            })));
        Assert.Single(Requests);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    [InlineData(uint.MaxValue)]
    [Rfc("7959-4-1")]
    public async Task A_wrong_Size2_is_ignored(uint size)
    {
        byte[] body = Bytes(100);
        Script(Reply(CoapCode.Content, null, "0/1/64", body.AsMemory(0, 64), size2: size),
            Reply(CoapCode.Content, null, "1/0/64", body.AsMemory(64)));
        Assert.Equal(body, (await Within(Client.GetAsync(Uri))).Payload.ToArray());
    }

    [Fact]
    [Rfc("7959-2.7-1", "9175-3.4-2")]
    public async Task The_response_to_an_upload_is_fetched_without_the_body_and_with_its_Request_Tag()
    {
        HandServer server = new() { Body = Bytes(300), MaxSizeExponent = 3 };
        Answer = server.Answer;
        byte[] body = Bytes(200, 2);
        CoapRequest request = new(CoapMethod.Post, Uri) { Content = CoapContent.Binary(body), BlockSize = 128 };
        request.Options.Add(new RequestTagOption([0xab]));
        CoapResponse response = await Within(Client.SendAsync(request));
        Assert.Equal(server.Body, response.Payload.ToArray());
        Assert.Equal(body, Assert.Single(server.Stored));
        Assert.Equal(["0/1/128", "1/0/128", "-", "-"], Block1s);
        Assert.Equal(["-", "0/0/128", "1/0/128", "2/0/128"], Block2s);
        Assert.All(Requests[2..], sent => Assert.True(sent.Payload.IsEmpty));
        Assert.All(Requests[2..], sent => Assert.Null(sent.Options.Size1));
        Assert.All(Requests, sent => Assert.Equal([0xab], Assert.Single(sent.Options.RequestTags).ToArray()));
    }

    [Fact]
    [Rfc("7959-2.6-2", "7959-2.6-3")]
    public async Task The_rest_of_a_notification_is_fetched_and_restarted_when_the_representation_is_newer()
    {
        HandServer server = new() { Body = Bytes(150, 4), ETag = [4], MaxSizeExponent = 2 };
        Answer = server.Answer;
        await Within(Client.GetAsync("coap://192.0.2.1/first"));
        Requests.Clear();
        byte[] outdated = Bytes(64, 3);
        CoapMessage notification = Reply(CoapCode.Content, null, "0/1/64", outdated, "03");
        notification.Options.Observe = 12;
        CoapMessage registration = new(CoapCode.Get);
        registration.Options.Observe = 0;
        CoAP.NET.Composition.Stages.CoapShardPipeline pipeline = Client.Endpoint.Pipelines[0];
        CoAP.NET.CoapChannel channel = Assert.Single(pipeline.Channels.All());
        OutgoingRequestPipeline chain = new(new RequestSender(Client.Endpoint.Environment, [pipeline.Sender]),
            new BlockwiseStep(Client.Endpoint.Environment));
        CoapResponse whole = await Within(chain.SendAsync(new OutgoingRequest
        {
            Request = new CoapRequest(registration),
            Message = registration,
            Channel = channel,
            Target = null,
            Timeout = null,
            StartedAt = 0,
            FirstBlock = new CoapResponse(notification, channel.Remote),
        }));
        Assert.Equal(server.Body, whole.Payload.ToArray());
        Assert.Equal(["1/0/64", "0/0/64", "1/0/64", "2/0/64"], Block2s);
        Assert.All(Requests, request => Assert.Null(request.Options.Observe));
    }
}
