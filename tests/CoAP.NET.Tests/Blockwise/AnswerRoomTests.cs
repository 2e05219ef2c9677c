using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>Room for answers in memory that are fetched block by block: who gets it, who waits, and who has to go.</summary>
public sealed class AnswerRoomTests : BlockwiseTest
{
    private const int KiB = 1024;

    private int _runs;

    [Theory]
    [InlineData(4)]
    [InlineData(5)]
    [InlineData(15)]
    public async Task A_response_of_several_MiB_that_differs_at_each_run_is_downloaded_by_a_single_handler_run(int mebibytes)
    {
        MapChanging(mebibytes * 1024 * KiB);
        await StartAsync();
        Assert.Equal(Document(mebibytes * 1024 * KiB, 1), Download("x"));
        Assert.Equal(1, _runs);
        AssertAllFreed();
    }

    [Fact]
    public async Task Fifty_peers_download_a_changing_500_KiB_response_at_the_same_time_with_one_run_each()
    {
        MapChanging(500 * KiB);
        await StartAsync();
        MemoryStream[] bodies = [.. Enumerable.Range(0, 50).Select(_ => new MemoryStream())];
        for (int number = 0; number < 500; number++)
        {
            for (int i = 0; i < bodies.Length; i++)
            {
                CoapMessage answer = Get("x", number == 0 ? null : new BlockValue(number, false, 6), peer: Trusted(i));
                Assert.Equal((CoapCode.Content, number < 499), (answer.Code, answer.Options.Block2!.Value.More));
                bodies[i].Write(answer.Payload.Span);
            }
        }

        Assert.All(bodies, (body, i) => Assert.Equal(Document(500 * KiB, i + 1), body.ToArray()));
        Assert.Equal((50, 0L), (_runs, Server.Counters[CoapCounter.RepresentationEvictions]));
        AssertAllFreed();
    }

    [Fact]
    public async Task A_peer_whose_answer_exceeds_ResponseMemory_gets_5_03_and_downloads_in_progress_continue()
    {
        Options.Limits.Blockwise.ResponseMemory = 1024 * KiB;
        MapChanging(200 * KiB);
        await StartAsync();
        for (int i = 0; i < 4; i++)
        {
            Get("x", peer: Trusted(i)).Gives(CoapCode.Content);
        }

        for (int i = 4; i < 6; i++)
        {
            CoapMessage refusal = Get("x", peer: Trusted(i));
            Assert.Equal((CoapCode.ServiceUnavailable, FromSeconds(5)), (refusal.Code, refusal.Options.MaxAge));
        }

        // Told once, with the setting to change, and counted each time.
        string told = Assert.Single(Logs.Entries, entry => entry.Id.Id == 1542).Text;
        told.Mentions("1048576 bytes for all peers together (CoapLimits.Blockwise.ResponseMemory)");
        Assert.Equal((2L, 0L), (Server.Counters[CoapCounter.RepresentationsRefused], Server.Counters[CoapCounter.RepresentationEvictions]));

        // Whoever asks for later blocks all the same has no body made for each of them.
        int runs = _runs;
        for (int number = 1; number < 100; number++)
        {
            Get("x", new BlockValue(number, false, 6), peer: Trusted(4)).Gives(CoapCode.ServiceUnavailable);
        }

        Assert.Equal(runs, _runs);
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal(Document(200 * KiB, i + 1)[KiB..], Rest("x", Trusted(i)));
        }

        // After Max-Age there is room, as the others are through.
        Clock.Advance(FromSeconds(5));
        Assert.Equal(Document(200 * KiB, _runs + 1), Download("x", peer: Trusted(4)));
        AssertAllFreed();
    }

    [Fact]
    public async Task A_transfer_is_kept_and_completes_when_MaxRetransmit_is_0()
    {
        Options.Parameters = CoapTransmissionParameters.Default with { MaxRetransmit = 0 };
        MapChanging(5 * KiB);
        await StartAsync();
        Get("x");
        Clock.Advance(FromSeconds(30));
        Assert.Equal(Document(5 * KiB, 1)[KiB..], Rest("x", Peer));
        Assert.Equal(1, _runs);
        AssertAllFreed();
    }

    [Fact]
    public async Task An_answer_above_the_share_of_a_source_is_an_error_whose_log_names_the_bound_and_the_remedy()
    {
        Options.Limits.Blockwise.ResponseMemory = 1024 * KiB;
        MapChanging(300 * KiB);
        await StartAsync();
        Get("x").Gives(CoapCode.InternalServerError);
        Get("x", new BlockValue(7, false, 6)).Gives(CoapCode.InternalServerError);
        Assert.Equal(1, _runs);
        string told = Assert.Single(Logs.Entries, entry => entry.Id.Id == 1543).Text;
        told.Mentions("CoapResults.File");
        told.Mentions("262144 bytes for one source (MaxSourceFraction of ResponseMemory in CoapLimits.Blockwise)");
        AssertAllFreed();
    }

    [Fact]
    public async Task The_warning_about_an_answer_to_POST_names_the_bound_that_was_hit()
    {
        Options.Limits.Blockwise.ResponseMemory = 1024 * KiB;
        Server.MapPost("/x", () => CoapResults.Changed(CoapContent.Binary(Body(300 * KiB))));
        await StartAsync();
        Send(Message(CoapMethod.Post, "x"));
        Assert.Single(Logs.Entries, entry => entry.Id.Id == 1541).Text.Mentions(
            "(MaxSourceFraction of ResponseMemory in CoapLimits.Blockwise)");
        AssertAllFreed();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_kept_representation_whose_peer_makes_almost_no_progress_is_evicted_for_another_peer(bool creeps)
    {
        Options.Limits.Blockwise.ResponseMemory = 1024 * KiB;
        MapChanging(200 * KiB);
        await StartAsync();
        for (int i = 0; i < 4; i++)
        {
            Get("x", new BlockValue(0, false, 0), peer: Trusted(i));
        }

        CoapAddress honest = Trusted(9);
        Get("x", peer: honest).Gives(CoapCode.ServiceUnavailable);
        for (int second = 0; second < 100; second += 20)
        {
            Clock.Advance(FromSeconds(20));
            for (int i = 0; creeps && i < 4; i++)
            {
                // 16 bytes in 20 s: this would take 3 days.
                Get("x", new BlockValue((second / 20) + 1, false, 0), peer: Trusted(i));
            }

            if (!creeps && second == 40)
            {
                break;
            }
        }

        Get("x", peer: honest).Gives(CoapCode.Content);
        Assert.True(Server.Counters[CoapCounter.RepresentationEvictions] >= 1);
        Assert.Equal(199 * KiB, Rest("x", honest).Length);
        AssertAllFreed();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task A_peer_can_download_although_few_sources_use_all_the_response_memory_they_can_get(int sources)
    {
        Options.Limits.Blockwise.ResponseMemory = 1024 * KiB;
        Options.Limits.Amplification.IsLimited = false;
        Server.MapGet("/x/{size}", request =>
        {
            _runs++;
            return CoapResults.Bytes(Document(int.Parse(request.Route["size"]!, System.Globalization.CultureInfo.InvariantCulture), _runs));
        });
        await StartAsync();

        // Of each source as many ports and documents as it likes, the largest first.
        List<(string Path, CoapAddress Peer)> held = [];
        for (int source = 0; source < sources; source++)
        {
            for (int port = 0; port < 20; port++)
            {
                string path = $"x/{(240 >> (port / 4)) * KiB}";
                CoapAddress peer = CoapAddress.FromIPv4(0xc6336400 + (uint)source, (ushort)(40_000 + port));
                if (Get(path, peer: peer).Code == CoapCode.Content)
                {
                    held.Add((path, peer));
                }
            }
        }

        Assert.InRange(Memory.Responses.Used, (sources == 1 ? 200 : 700) * KiB, 1024 * KiB);
        CoapAddress honest = CoapAddress.FromIPv4(0xc6336501, 40_000);
        for (int number = 0; number < 40; number++)
        {
            Clock.Advance(FromSeconds(2));
            Get($"x/{40 * KiB}", new BlockValue(number, false, 6), peer: honest).Gives(CoapCode.Content);
            foreach ((string path, CoapAddress peer) in held)
            {
                Get(path, new BlockValue(number + 1, false, 6), peer: peer);
            }
        }

        Assert.Equal(0, Memory.Responses.UsedByNewcomers);
        AssertAllFreed();
        Assert.Equal(0, Memory.Responses.Sources);
    }

    [Fact]
    public async Task Forged_requests_that_fill_the_memory_of_unverified_peers_do_not_exclude_a_peer_that_returns_its_Echo()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * KiB;
        MapChanging(5 * KiB);
        await StartAsync();
        CoapMessage? answer = null;
        for (int i = 0; i < 50; i++)
        {
            // Small enough to be answered.
            answer = Get("x", new BlockValue(0, false, 2), peer: CoapAddress.FromIPv4(0xcb007100 + (uint)i, 5683));
        }

        Assert.InRange(Memory.Responses.Used, 5 * KiB, 16 * KiB);
        Assert.Equal(CoapCode.Unauthorized, answer!.Code);
        ReadOnlyMemory<byte> echo = answer.Options.Echo!.Value;
        CoapAddress honest = CoapAddress.FromIPv4(0xcb007100 + 49, 5683);
        Get("x", new BlockValue(0, false, 2), options => options.Add(new EchoOption(echo.Span)), honest).Gives(CoapCode.Content);
        Assert.Equal(4096 + 1024 - 64, Rest("x", honest, 2).Length);
        AssertAllFreed();
    }

    [Fact]
    public async Task Hundreds_of_new_peers_evict_no_transfer_of_a_returning_unverified_peer()
    {
        Options.Limits.Peers.NewcomerMemory = 64 * KiB;
        MapChanging(5 * KiB);
        await StartAsync();
        CoapAddress[] known = ComeBack(5);
        string[] tags = [.. known.Select(peer => TagOf(Get("x", new BlockValue(0, false, 2), peer: peer)))];
        uint forged = 0xcb007100;
        for (int number = 1; number < 60; number++)
        {
            for (int i = 0; i < 10; i++)
            {
                Get("x", new BlockValue(0, false, 2), peer: CoapAddress.FromIPv4(forged++, 5683));
            }

            // Longer than the patience with those whose place another one of theirs wants.
            Clock.Advance(FromSeconds(20));
            Assert.Equal(tags, known.Select(peer => TagOf(Get("x", new BlockValue(number, false, 2), peer: peer))));
        }

        Assert.True(Server.Counters[CoapCounter.RepresentationsRefused] + Server.Counters[CoapCounter.RepresentationEvictions] > 100);
        AssertAllFreed();
    }

    [Fact]
    public async Task Returning_unverified_peers_use_a_part_of_the_memory_and_evict_nothing_of_verified_peers()
    {
        Options.Limits.Blockwise.ResponseMemory = 1024 * KiB;
        MapChanging(20 * KiB);
        await StartAsync();
        CoapAddress[] known = ComeBack(40);
        CoapCode[] codes = [.. known.Select(peer => Get("x", new BlockValue(0, false, 2), peer: peer).Code)];

        // The eleventh would take more than its share of what is free.
        Assert.Equal(10, codes.Count(static code => code == CoapCode.Content));
        Assert.Equal(30, codes.Count(static code => code == CoapCode.Unauthorized));
        Assert.InRange(Memory.Responses.Unverified.Bytes, 200 * KiB, 256 * KiB);
        Assert.Single(Logs.Entries, entry => entry.Id.Id == 1542).Text.Mentions(
            "262144 bytes for all peers together whose addresses were never verified");
        for (int i = 0; i < 30; i++)
        {
            Get("x", peer: Trusted(i)).Gives(CoapCode.Content);
        }

        Assert.Equal(0, Server.Counters[CoapCounter.RepresentationEvictions]);
        AssertAllFreed();
    }

    private static string TagOf(CoapMessage answer) =>
        $"{answer.Code} {Convert.ToHexString(answer.Options.ETag.GetValueOrDefault().ToArray())}";

    private CoapAddress[] ComeBack(int count)
    {
        CoapAddress[] peers = [.. Enumerable.Range(0, count).Select(static i => CoapAddress.FromIPv4(0xcb010000 + (uint)i, 5683))];
        Array.ForEach(peers, peer => Get("none", peer: peer));
        Clock.Advance(FromSeconds(3));
        return peers;
    }

    private static CoapAddress Trusted(int i) => CoapAddress.FromIPv4(0xc0000200 + (uint)(i % 200), (ushort)(30_000 + i));

    // Cheap to make, different for each number and at each place.
    private static byte[] Document(int size, int number)
    {
        byte[] document = new byte[size];
        for (int i = 0; i + 8 <= size; i += 8)
        {
            BitConverter.TryWriteBytes(document.AsSpan(i), ((long)number << 32) + i);
        }

        return document;
    }

    private void MapChanging(int size) => Server.MapGet("/x", () => CoapResults.Bytes(Document(size, ++_runs)));

    private byte[] Rest(string path, CoapAddress peer, int exponent = 6)
    {
        MemoryStream body = new();
        for (int number = 1; ; number++)
        {
            CoapMessage answer = Get(path, new BlockValue(number, false, exponent), peer: peer);
            Assert.Equal(CoapCode.Content, answer.Code);
            body.Write(answer.Payload.Span);
            if (!answer.Options.Block2!.Value.More)
            {
                return body.ToArray();
            }
        }
    }
}
