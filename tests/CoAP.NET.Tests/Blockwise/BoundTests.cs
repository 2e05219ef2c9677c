using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>What peers that begin and never end may cost (RFC 7959 section 7.1).</summary>
public sealed class BoundTests : BlockwiseTest
{
    [Fact]
    [Rfc("7959-2.5-8", "7959-7.1-1")]
    public async Task Ten_thousand_incomplete_uploads_use_bounded_memory_that_is_freed()
    {
        Options.Limits.Blockwise.RequestMemory = 1024 * 1024;
        int runs = 0;
        Server.MapPut("/x/{id}", () =>
        {
            runs++;
            return CoapResults.Changed();
        });
        await StartAsync();
        for (int i = 0; i < 10_000; i++)
        {
            CoapMessage answer = Block(CoapMethod.Put, $"x/{i}", Body(4096), 0, 1024,
                peer: i % 2 == 0 ? Peer : CoapAddress.FromIPv4(0x0a000000 + (uint)i, 5683));

            // Where the part of newcomers is taken they may show that they receive at their address.
            Assert.True(answer.Code == CoapCode.Continue || answer.Code == CoapCode.Unauthorized, $"{answer.Code}");
            Assert.InRange(Memory.Requests.Used, 1, Options.Limits.Blockwise.RequestMemory);
            Assert.InRange(Memory.Requests.UsedByNewcomers, 0, Options.Limits.Blockwise.RequestMemory / 4);
        }

        Assert.True(Server.Counters[CoapCounter.BodiesEvicted] + Server.Counters[CoapCounter.BodiesRefused] > 8000);
        Assert.Equal(0, runs);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.5-8")]
    public async Task A_peer_beyond_its_share_loses_its_longest_idle_upload_and_no_upload_of_another_peer()
    {
        Options.Limits.Blockwise.RequestMemory = 64 * 1024;
        Server.MapPut("/x/{id}", request => CoapResults.Bytes(request.Payload));
        await StartAsync();

        // Both come back after a while, so neither is a newcomer.
        foreach (CoapAddress peer in new[] { Peer, Other })
        {
            Get("none", peer: peer);
        }

        Clock.Advance(FromSeconds(3));
        Block(CoapMethod.Put, "x/other", Body(2048), 0, 1024, peer: Other);
        for (int i = 0; i < 100; i++)
        {
            Block(CoapMethod.Put, $"x/{i}", Body(2048), 0, 1024).Gives(CoapCode.Continue);
            Assert.InRange(Memory.Requests.Used, 1, (16 * 1024) + 4096);
        }

        Assert.Equal(0, Memory.Requests.UsedByNewcomers);
        Block(CoapMethod.Put, "x/0", Body(2048), 1024, 1024).Gives(CoapCode.RequestEntityIncomplete);
        Block(CoapMethod.Put, "x/99", Body(2048), 1024, 1024).Gives(CoapCode.Content);
        Block(CoapMethod.Put, "x/other", Body(2048), 1024, 1024, peer: Other).Gives(CoapCode.Content);
        Assert.True(Server.Counters[CoapCounter.BodiesEvicted] > 80);
        AssertAllFreed();
    }

    [Fact]
    public async Task Hundreds_of_new_peers_evict_no_upload_of_a_returning_unverified_peer()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * 1024;
        Server.MapPut("/x", request => request.Payload.Length == 1920 ? CoapResults.Changed() : CoapResults.BadRequest("other bytes"));
        await StartAsync();
        CoapAddress known = CoapAddress.FromIPv4(0xcb010001, 5683);
        Get("none", peer: known);
        Clock.Advance(FromSeconds(3));
        uint forged = 0xcb007100;
        for (int offset = 0; offset < 1920; offset += 64)
        {
            Assert.Equal(offset == 1920 - 64 ? CoapCode.Changed : CoapCode.Continue,
                Block(CoapMethod.Put, "x", Body(1920), offset, 64, peer: known).Code);
            for (int i = 0; i < 40; i++)
            {
                Block(CoapMethod.Put, "x", Body(2048), 0, 1024, peer: CoapAddress.FromIPv4(forged++, 5683));
            }

            // Longer than the patience with those whose place another one of theirs wants.
            Clock.Advance(FromSeconds(20));
        }

        Assert.True(Server.Counters[CoapCounter.BodiesRefused] > 100);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_block_that_finds_no_memory_gets_5_03_and_may_be_sent_again()
    {
        Options.Limits.Blockwise.RequestMemory = 4096;
        Options.Limits.Blockwise.MaxSourceFraction = 1;
        Server.MapPut("/x", () => CoapResults.Changed());
        await StartAsync();
        byte[] body = Body(2048);
        Block(CoapMethod.Put, "x", body, 0, 1024).Gives(CoapCode.Continue);
        Block(CoapMethod.Put, "x", body, 0, 1024, peer: Other).Gives(CoapCode.Continue);
        CoapMessage full = Block(CoapMethod.Put, "x", body, 1024, 512, peer: Other);
        Assert.Equal((CoapCode.ServiceUnavailable, FromSeconds(5)), (full.Code, full.Options.MaxAge));
        Block(CoapMethod.Put, "x", body, 0, 1024, peer: CoapAddress.FromIPv4(1, 1)).Gives(CoapCode.Unauthorized);
        Assert.Equal(2, Server.Counters[CoapCounter.BodiesRefused]);

        // The first one goes; then there is room for the block that was refused.
        Block(CoapMethod.Put, "x", Body(10), 0, 1024).Gives(CoapCode.Changed);
        Block(CoapMethod.Put, "x", body, 1024, 512, peer: Other).Gives(CoapCode.Continue);
        Block(CoapMethod.Put, "x", body, 1536, 512, peer: Other).Gives(CoapCode.Changed);
        AssertAllFreed();
    }

    [Fact]
    [Rfc("7959-2.5-8", "7959-2.5-5")]
    public async Task A_body_that_is_too_large_is_refused_as_soon_as_its_size_is_known()
    {
        Options.Limits.Blockwise.MaxRequestBodySize = 2000;
        Server.MapPut("/small", () => CoapResults.Changed()).WithMaxBodySize(100);
        Server.MapPut("/x", () => CoapResults.Changed());
        await StartAsync();
        AssertTooLarge(2000, Block(CoapMethod.Put, "x", Body(3000), 0, 1024, options => options.Size1 = 3000));
        AssertTooLarge(100, Block(CoapMethod.Put, "small", Body(3000), 0, 1024));
        AssertTooLarge(100, Send(Message(CoapMethod.Put, "small", payload: Body(101))));
        Upload(CoapMethod.Put, "small", Body(100), 64).Gives(CoapCode.Changed);
        Block(CoapMethod.Put, "x", Body(3000), 0, 1024).Gives(CoapCode.Continue);
        AssertTooLarge(2000, Block(CoapMethod.Put, "x", Body(3000), 1024, 1024));
        Assert.Equal(0, Bodies.Count);
        Assert.Equal(4, Server.Counters[CoapCounter.BodiesTooLarge]);

        // A datagram that is too large: blocks would help.
        Transport.TakeSent();
        Transport.Receive(Peer, Wire.Hex("40037fff" + "b178" + "ff00"), isTruncated: true);
        CoapMessage cut = s_serializer.Deserialize(Wire.Hex(Assert.Single(Transport.TakeSent())));
        Assert.Equal((CoapCode.RequestEntityTooLarge, new BlockValue(0, false, 6)), (cut.Code, cut.Options.Block1));
        AssertAllFreed();

        static void AssertTooLarge(uint max, CoapMessage answer) =>
            Assert.Equal((CoapCode.RequestEntityTooLarge, max), (answer.Code, answer.Options.Size1));
    }

    [Fact]
    public async Task An_announced_size_takes_no_memory()
    {
        Server.MapPut("/x", () => CoapResults.Changed());
        await StartAsync();
        for (int i = 0; i < 100; i++)
        {
            Block(CoapMethod.Put, "x", Body(64), 0, 16, options => options.Size1 = 1024 * 1024,
                peer: CoapAddress.FromIPv4(0x0a000000 + (uint)i, 5683));
        }

        Assert.InRange(Memory.Requests.Used, 100, 100 * 1024);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_body_counts_against_RequestMemory_until_its_handler_has_answered()
    {
        TaskCompletionSource<CoapResult> result = new();
        Server.MapPut("/x", (CoapRequestContext _) => result.Task);
        await StartAsync();
        Block(CoapMethod.Put, "x", Body(1500), 0, 1024);
        TrySend(Message(CoapMethod.Put, "x", options => options.Block1 = new BlockValue(1, false, 6), Body(1500)[1024..]));
        Assert.Equal(0, Bodies.Count);
        Assert.InRange(Memory.Requests.Used, 1500, 4096);
        result.SetResult(CoapResults.Changed());
        Assert.Equal(0, Memory.Requests.Used);
        AssertAllFreed();
    }

    [Fact]
    public async Task Answers_that_are_fetched_in_blocks_take_a_bounded_memory()
    {
        Options.Limits.Blockwise.ResponseMemory = 256 * 1024;
        int runs = 0;
        Server.MapGet("/x/{id}", request =>
        {
            runs++;
            return CoapResults.Bytes(Body(5000, int.Parse(request.Route["id"]!, System.Globalization.CultureInfo.InvariantCulture)));
        });
        Server.MapPost("/large", () => CoapResults.Changed(CoapContent.Binary(Body(300_000))));
        await StartAsync();
        for (int i = 0; i < 1000; i++)
        {
            Get($"x/{i}", new BlockValue(0, false, 2), peer: CoapAddress.FromIPv4(0x0a000000 + (uint)(i / 3), 5683));
            Assert.InRange(Memory.Responses.Used, 1, Options.Limits.Blockwise.ResponseMemory);
        }

        // Many peers with the same body hold it once.
        Clock.Advance(FromMinutes(10));
        for (int i = 0; i < 10; i++)
        {
            Get("x/1", new BlockValue(0, false, 2), peer: CoapAddress.FromIPv4(0x0a000000 + (uint)i, 5683));
        }

        Assert.Equal((10, 1), (Responses.Count, Responses.SharedCount));
        Assert.InRange(Memory.Responses.Used, 5000, 12_000);

        // What finds no room is computed again, and carried out again by no means.
        Get("x/1", new BlockValue(1, false, 2));
        Assert.Equal(1011, runs);
        Assert.Equal(new BlockValue(0, true, 2), Send(Message(CoapMethod.Post, "large")).Options.Block2);
        Send(Message(CoapMethod.Post, "large", options => options.Block2 = new BlockValue(1, false, 6)))
            .Gives(CoapCode.RequestEntityIncomplete);
        Assert.Contains(Logs.Entries, entry => entry.Id.Id == 1541);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_peer_that_requests_the_same_block_again_and_again_gets_the_new_representation_in_the_end()
    {
        int version = 0;
        Server.MapGet("/x", () => CoapResults.Bytes(Body(300, version)));
        await StartAsync();
        Get("x", new BlockValue(1, false, 2));
        version = 1;
        for (int i = 0; i < 30; i++)
        {
            Clock.Advance(FromSeconds(10));
            CoapMessage answer = Get("x", new BlockValue(1, false, 2));
            Assert.Equal(Body(300, i < 24 ? 0 : 1)[64..128], answer.Payload.ToArray());
        }
    }
}
