using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Blockwise;

namespace CoAP.NET.Tests.Transports.Streams;

// RFC 8323 section 6, in the role of a client.
public class BertClientTests : ScriptedServerTest
{
    private const uint Head = 200;
    private const string Large = "50e12310000020";

    [Fact]
    [Rfc("8323-6-1")]
    public async Task A_client_download_follows_Figure_13_of_RFC_8323()
    {
        byte[] body = Frames.Bytes(3072 + 5120 + 4711);
        Script(
            request => Frames.Reply(request, CoapCode.Content, block2: "0f", payload: body.AsMemory(0, 3072)),
            request => Frames.Reply(request, CoapCode.Content, block2: "3f", payload: body.AsMemory(3072, 5120)),
            request => Frames.Reply(request, CoapCode.Content, block2: "87", payload: body.AsMemory(8192)));
        CoapPeer peer = await ConnectAsync(Large);

        CoapResponse response = await Within(peer.GetAsync("/status"));

        Assert.True(response.Payload.Span.SequenceEqual(body));
        Assert.Equal(["-", "37", "87"], Block2s);
    }

    [Fact]
    [Rfc("8323-6-1")]
    public async Task A_client_upload_follows_Figure_14_of_RFC_8323()
    {
        byte[] body = Frames.Bytes(8192 + 16384 + 5683);
        Script(
            request =>
            {
                // It takes more from here on.
                Connection.Receive(Frames.Csm(16384 + Head));
                return Frames.Reply(request, CoapCode.Continue, "0f");
            },
            request => Frames.Reply(request, CoapCode.Continue, "8f"),
            request => Frames.Reply(request, CoapCode.Changed, "0187"));
        CoapPeer peer = await ConnectAsync(Frames.Csm(8192 + Head));

        CoapResponse response = await Within(peer.PutAsync("/options", CoapContent.Binary(body)));

        Assert.Equal(CoapCode.Changed, response.Code);
        Assert.Equal(["0f", "8f", "0187"], Block1s);
        Assert.Equal([8192, 16384, 5683], Requests.Select(request => request.Payload.Length));
        Assert.Equal(body, Requests.SelectMany(request => request.Payload.ToArray()));
    }

    [Fact]
    [Rfc("8323-6-1")]
    public async Task The_last_BERT_message_of_an_upload_may_end_inside_a_block()
    {
        byte[] body = Frames.Bytes(2048 + 2600);
        Script(
            static request => Frames.Reply(request, CoapCode.Continue, "0f"),
            static request => Frames.Reply(request, CoapCode.Changed, "27"));
        CoapPeer peer = await ConnectAsync(Frames.Csm(2650 + Head));

        CoapResponse response = await Within(peer.PutAsync("/options", CoapContent.Binary(body)));

        Assert.Equal(CoapCode.Changed, response.Code);
        Assert.Equal(["0f", "27"], Block1s);
        Assert.Equal([2048, 2600], Requests.Select(static request => request.Payload.Length));
    }

    [Fact]
    [Rfc("8323-5.3.1-1")]
    public async Task A_body_that_fits_into_one_message_is_sent_without_blocks()
    {
        Answer = request => Frames.Reply(request, CoapCode.Changed);
        CoapPeer peer = await ConnectAsync(Large);

        await Within(peer.PutAsync("/x", CoapContent.Binary(Frames.Bytes(900 * 1024))));
        await Within(peer.PutAsync("/x", CoapContent.Stream(new PatternStream(900 * 1024))));

        Assert.Equal(["-", "-"], Block1s);
        Assert.All(Requests, request => Assert.Equal(900 * 1024, request.Payload.Length));
    }

    [Fact]
    public async Task A_server_may_switch_to_smaller_blocks_in_a_download()
    {
        byte[] body = Frames.Bytes(4096 + 1024 + 100);
        Script(
            request => Frames.Reply(request, CoapCode.Content, block2: "0f", payload: body.AsMemory(0, 4096)),
            request => Frames.Reply(request, CoapCode.Content, block2: "4e", payload: body.AsMemory(4096, 1024)),
            request => Frames.Reply(request, CoapCode.Content, block2: "56", payload: body.AsMemory(5120)));
        CoapPeer peer = await ConnectAsync(Large);

        Assert.True((await Within(peer.GetAsync("/x"))).Payload.Span.SequenceEqual(body));
        Assert.Equal(["-", "47", "56"], Block2s);
    }

    [Fact]
    public async Task A_server_may_ask_for_smaller_blocks_in_an_upload()
    {
        byte[] body = Frames.Bytes(4096 + 3000);
        int taken = 0;
        Answer = request =>
        {
            // 4,096 bytes came with the first block; the rest is asked for by 1,024.
            taken += request.Payload.Length;
            string block = request.Block1Of()!;
            return Frames.Reply(request, taken == body.Length ? CoapCode.Changed : CoapCode.Continue, block == "0f" ? "0e" : block);
        };
        CoapPeer peer = await ConnectAsync(Frames.Csm(4096 + Head));

        await Within(peer.PutAsync("/x", CoapContent.Binary(body)));

        Assert.Equal(["0f", "4e", "5e", "66"], Block1s);
        Assert.Equal(body, Requests.SelectMany(request => request.Payload.ToArray()));
    }

    [Fact]
    public async Task A_client_sends_smaller_blocks_after_the_server_lowers_Max_Message_Size()
    {
        byte[] body = Frames.Bytes(8192 + 5000);
        int taken = 0;
        Answer = request =>
        {
            if (taken == 0)
            {
                Connection.Receive(Frames.Csm(1152));
            }

            taken += request.Payload.Length;
            return Frames.Reply(request, taken == body.Length ? CoapCode.Changed : CoapCode.Continue, request.Block1Of());
        };
        CoapPeer peer = await ConnectAsync(Frames.Csm(8192 + Head));

        await Within(peer.PutAsync("/x", CoapContent.Binary(body)));

        Assert.Equal(["0f", "8e", "9e", "ae", "be", "c6"], Block1s);
        Assert.Equal(body, Requests.SelectMany(request => request.Payload.ToArray()));
    }

    [Theory]
    [Rfc("8323-5.3.2-1", "8323-5.3.1-1")]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_client_sends_blocks_of_1024_bytes_when_the_server_CSM_has_no_block_option(bool isStream)
    {
        Script(
            static request => Frames.Reply(request, CoapCode.Continue, "0e"),
            static request => Frames.Reply(request, CoapCode.Changed, "16"));
        CoapPeer peer = await ConnectAsync("00e1");

        CoapResponse response = await Within(peer.PutAsync("/x", Body(isStream, 2000)));

        Assert.Equal(CoapCode.Changed, response.Code);
        Assert.Equal(["0e", "16"], Block1s);
        Assert.Equal(2000, Requests.Sum(static request => request.Payload.Length));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_client_sends_no_blocks_after_the_server_refused_a_block(bool isStream)
    {
        Script(static request => Frames.Reply(request, CoapCode.BadOption));
        CoapPeer peer = await ConnectAsync("00e1");

        await Within(peer.PutAsync("/x", Body(isStream, 5000))).Gives(CoapCode.BadOption);
        Connection.TakeSent();
        CoapException error = await Failure.OfAsync(CoapError.TooLarge, () => Within(peer.PutAsync("/x", Body(isStream, 5000))));

        error.Mentions("at most 1152 bytes");
        error.Mentions("4.02");
        Connection.HasSentNothing();
        CoapRequest part = new(CoapMethod.Get, "/x")
        {
            Destination = new MemoryStream(),
            Download = new CoapDownloadOptions { Offset = 3000, ETag = new CoapETag([1]) }
        };
        (await Assert.ThrowsAsync<CoapException>(() => Within(peer.SendAsync(part)))).Mentions("4.02");
        Connection.HasSentNothing();
    }

    [Theory]
    [InlineData(1139, true)]
    [InlineData(1140, false)]
    public async Task A_body_is_sent_whole_if_the_message_fits_when_the_CSM_has_no_block_option(int length, bool fits)
    {
        // First byte, extended length of 2, code, token of 4, Uri-Path and Content-Format of 2 each, marker: 13.
        Answer = static request => request.Options.Block1 is { } block
            ? Frames.Reply(request, block.More ? CoapCode.Continue : CoapCode.Changed, block.More ? "0e" : "16")
            : Frames.Reply(request, CoapCode.Changed);
        CoapPeer peer = await ConnectAsync("00e1");
        foreach (CoapContent content in new[]
        {
            CoapContent.Binary(new byte[length]),
            CoapContent.Stream(new PatternStream(length, canSeek: false), CoapContentFormat.OctetStream)
        })
        {
            await Within(peer.PutAsync("/x", content)).Gives(CoapCode.Changed);
        }

        Assert.Equal(fits ? ["-", "-"] : ["0e", "16", "0e", "16"], Block1s);
    }

    [Fact]
    public async Task The_client_uses_the_BlockSize_of_the_request()
    {
        byte[] body = Frames.Bytes(600);
        Answer = request =>
            Frames.Reply(request, request.Block1Of() is "28" or "24" ? CoapCode.Changed : CoapCode.Continue, request.Block1Of());
        CoapPeer peer = await ConnectAsync(Large);

        await Within(peer.SendAsync(new CoapRequest(CoapMethod.Put, "/x") { Content = CoapContent.Binary(body), BlockSize = 256 }));

        Assert.Equal(["0c", "1c", "24"], Block1s);
    }

    [Theory]
    [InlineData(64, "02")]
    [InlineData(1024, "06")]
    public async Task A_block_size_that_the_caller_chose_is_proposed_for_the_response(int size, string block)
    {
        Answer = request => Frames.Reply(request, CoapCode.Content);
        CoapPeer peer = await ConnectAsync(Large);

        await Within(peer.SendAsync(new CoapRequest(CoapMethod.Get, "/x") { BlockSize = size }));

        Assert.Equal([block], Block2s);
    }

    [Fact]
    public async Task PreferredBlockSize_of_datagrams_is_ignored_on_connections()
    {
        Options.Parameters = CoapTransmissionParameters.Default with { PreferredBlockSize = 64, MaxMessageSize = 128 };
        Answer = request => Frames.Reply(request, CoapCode.Changed);
        CoapPeer peer = await ConnectAsync(Large);

        await Within(peer.PutAsync("/x", CoapContent.Binary(new byte[5000])));
        await Within(peer.GetAsync("/x"));

        Assert.Equal(["-", "-"], Block1s);
        Assert.Equal(["-", "-"], Block2s);
    }

    [Theory]
    [InlineData("0f", 1500)]
    [InlineData("0f", 0)]
    [InlineData("0e", 2048)]
    public async Task A_block_of_a_wrong_length_is_refused(string block, int length)
    {
        Answer = request => Frames.Reply(request, CoapCode.Content, block2: block, payload: new byte[length]);
        CoapPeer peer = await ConnectAsync(Large);

        await Assert.ThrowsAsync<CoapProtocolException>(() => Within(peer.GetAsync("/x")));
        Assert.Equal(1, Endpoint.Counters[CoapCounter.BadBlocks]);
    }

    [Theory]
    [Rfc("8323-6-1")]
    [InlineData("40e122048020")]
    [InlineData("40e123100000")]
    public async Task The_client_refuses_size_exponent_7_of_a_server_that_cannot_use_BERT(string csm)
    {
        Answer = request => Frames.Reply(request, CoapCode.Content, block2: "0f", payload: new byte[1024]);
        CoapPeer peer = await ConnectAsync(csm);

        await Assert.ThrowsAsync<CoapProtocolException>(() => Within(peer.GetAsync("/x")));
    }

    [Fact]
    public async Task The_client_refuses_size_exponent_7_in_the_answer_to_a_smaller_block()
    {
        Answer = request => Frames.Reply(request, CoapCode.Continue, "0f");
        CoapPeer peer = await ConnectAsync(Large);

        await Assert.ThrowsAsync<CoapProtocolException>(
            () => Within(peer.SendAsync(
                new CoapRequest(CoapMethod.Put, "/x") { Content = CoapContent.Binary(new byte[5000]), BlockSize = 1024 })));
    }

    [Fact]
    [Rfc("8323-6-1")]
    public async Task A_download_resumes_at_its_offset()
    {
        const int length = 10_000;
        Answer = request =>
        {
            int from = request.Options.Block2!.Value.Number * 1024;
            int size = Math.Min(4096, length - from);
            CoapMessage response = Frames.Reply(request, CoapCode.Content, block2: $"{(from >> 6) | (from + size < length ? 8 : 0) | 7:x2}",
                payload: PatternStream.Bytes(from, size));
            response.Options.ETag = new CoapETag([1]);
            return response;
        };
        CoapPeer peer = await ConnectAsync(Large);
        MemoryStream destination = new();
        List<long> progress = [];
        CoapRequest request = new(CoapMethod.Get, "/x")
        {
            Destination = destination,
            Download = new CoapDownloadOptions { Offset = 3000, ETag = new CoapETag([1]) },
            Progress = new Reporter(progress),
        };

        await Within(peer.SendAsync(request));

        Assert.Equal(["27", "67"], Block2s);
        Assert.Equal(PatternStream.Bytes(3000, length - 3000), destination.ToArray());
        Assert.Equal([(2 * 1024) + 4096 - 3000, length - 3000], progress);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_body_of_unknown_length_is_uploaded_by_BERT(bool canSeek)
    {
        const int length = 25_000;
        List<byte> came = [];
        Answer = request =>
        {
            came.AddRange(request.Payload.Span);
            return Frames.Reply(request, request.Options.Block1!.Value.More ? CoapCode.Continue : CoapCode.Changed, request.Block1Of());
        };
        CoapPeer peer = await ConnectAsync(Frames.Csm(8192 + Head));

        await Within(peer.PutAsync("/x", CoapContent.Stream(new PatternStream(length, canSeek) { MaxRead = 777 })));

        Assert.Equal(["0f", "8f", "010f", "0187"], Block1s);
        Assert.Equal(PatternStream.Bytes(0, length), came);
    }

    [Fact]
    public async Task A_client_repeats_the_upload_in_blocks_when_a_4_13_response_has_Block1()
    {
        byte[] body = Frames.Bytes(5000);
        List<byte> came = [];
        Answer = request =>
        {
            if (request.Options.Block1 is not { } block)
            {
                return Frames.Reply(request, CoapCode.RequestEntityTooLarge, "06");
            }

            came.AddRange(request.Payload.Span);
            return Frames.Reply(request, block.More ? CoapCode.Continue : CoapCode.Changed, request.Block1Of());
        };
        CoapPeer peer = await ConnectAsync(Large);

        await Within(peer.PutAsync("/x", CoapContent.Binary(body))).Gives(CoapCode.Changed);

        Assert.Equal(["-", "0e", "1e", "2e", "3e", "46"], Block1s);
        Assert.Equal(body, came);
    }

    [Fact]
    public async Task A_4_13_response_without_Block1_is_the_final_response()
    {
        Answer = request => Frames.Reply(request, CoapCode.RequestEntityTooLarge);
        CoapPeer peer = await ConnectAsync(Large);

        await Within(peer.PutAsync("/x", CoapContent.Binary(new byte[5000]))).Gives(CoapCode.RequestEntityTooLarge);
        Assert.Single(Requests);
    }

    private sealed class Reporter(List<long> bytes) : IProgress<CoapProgress>
    {
        public void Report(CoapProgress value) => bytes.Add(value.BytesTransferred);
    }

    private static CoapContent Body(bool isStream, int length) =>
        isStream ? CoapContent.Stream(new PatternStream(length)) : CoapContent.Binary(new byte[length]);
}
