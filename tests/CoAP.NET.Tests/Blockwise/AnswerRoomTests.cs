using CoAP.NET.Options;
using CoAP.NET.Transports;

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
    public async Task A_document_of_many_mebibytes_that_is_another_at_each_run_arrives_by_one_run(int mebibytes)
    {
        MapChanging(mebibytes * 1024 * KiB);
        await StartAsync();
        Assert.Equal(Document(mebibytes * 1024 * KiB, 1), Download("x"));
        Assert.Equal(1, _runs);
        AssertAllFreed();
    }

    [Fact]
    public async Task Fifty_peers_that_fetch_500_KiB_of_a_changing_document_at_a_time_all_get_theirs_by_one_run_each()
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
    public async Task Who_finds_no_room_waits_by_5_03_and_what_is_being_fetched_stays()
    {
        Options.Limits.MaxRepresentationBytes = 1024 * KiB;
        MapChanging(200 * KiB);
        await StartAsync();
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal(CoapCode.Content, Get("x", peer: Trusted(i)).Code);
        }

        for (int i = 4; i < 6; i++)
        {
            CoapMessage refusal = Get("x", peer: Trusted(i));
            Assert.Equal((CoapCode.ServiceUnavailable, TimeSpan.FromSeconds(5)), (refusal.Code, refusal.Options.MaxAge));
        }

        // Told once, with the setting to change, and counted each time.
        string told = Assert.Single(Logs.Entries, entry => entry.Id.Id == 1542).Text;
        Assert.Contains("1048576 bytes for all peers together (CoapLimits.MaxRepresentationBytes)", told, StringComparison.Ordinal);
        Assert.Equal((2L, 0L), (Server.Counters[CoapCounter.RepresentationsRefused], Server.Counters[CoapCounter.RepresentationEvictions]));

        // Whoever asks for later blocks all the same has no body made for each of them.
        int runs = _runs;
        for (int number = 1; number < 100; number++)
        {
            Assert.Equal(CoapCode.ServiceUnavailable, Get("x", new BlockValue(number, false, 6), peer: Trusted(4)).Code);
        }

        Assert.Equal(runs, _runs);
        for (int i = 0; i < 4; i++)
        {
            Assert.Equal(Document(200 * KiB, i + 1)[KiB..], Rest("x", Trusted(i)));
        }

        // After Max-Age there is room, as the others are through.
        Clock.Advance(TimeSpan.FromSeconds(5));
        Assert.Equal(Document(200 * KiB, _runs + 1), Download("x", peer: Trusted(4)));
        AssertAllFreed();
    }

    [Fact]
    public async Task Without_retransmissions_a_transfer_is_kept_as_well_and_ends()
    {
        Options.Parameters = CoapTransmissionParameters.Default with { MaxRetransmit = 0 };
        MapChanging(5 * KiB);
        await StartAsync();
        Get("x");
        Clock.Advance(TimeSpan.FromSeconds(30));
        Assert.Equal(Document(5 * KiB, 1)[KiB..], Rest("x", Peer));
        Assert.Equal(1, _runs);
        AssertAllFreed();
    }

    [Fact]
    public async Task An_answer_above_the_share_of_a_source_is_an_error_whose_log_names_the_bound_and_the_remedy()
    {
        Options.Limits.MaxRepresentationBytes = 1024 * KiB;
        MapChanging(300 * KiB);
        await StartAsync();
        Assert.Equal(CoapCode.InternalServerError, Get("x").Code);
        Assert.Equal(CoapCode.InternalServerError, Get("x", new BlockValue(7, false, 6)).Code);
        Assert.Equal(1, _runs);
        string told = Assert.Single(Logs.Entries, entry => entry.Id.Id == 1543).Text;
        Assert.Contains("CoapResults.File", told, StringComparison.Ordinal);
        Assert.Contains("262144 bytes for one source (CoapLimits.PeerAssemblyShare of CoapLimits.MaxRepresentationBytes)", told,
            StringComparison.Ordinal);
        AssertAllFreed();
    }

    [Fact]
    public async Task The_warning_about_an_answer_to_POST_names_the_bound_that_was_hit()
    {
        Options.Limits.MaxRepresentationBytes = 1024 * KiB;
        Server.MapPost("/x", () => CoapResults.Changed(CoapContent.Binary(Body(300 * KiB))));
        await StartAsync();
        Send(Message(CoapMethod.Post, "x"));
        Assert.Contains("(CoapLimits.PeerAssemblyShare of CoapLimits.MaxRepresentationBytes)",
            Assert.Single(Logs.Entries, entry => entry.Id.Id == 1541).Text, StringComparison.Ordinal);
        AssertAllFreed();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_makes_no_progress_or_next_to_none_loses_its_place_when_another_one_wants_it(bool creeps)
    {
        Options.Limits.MaxRepresentationBytes = 1024 * KiB;
        MapChanging(200 * KiB);
        await StartAsync();
        for (int i = 0; i < 4; i++)
        {
            Get("x", new BlockValue(0, false, 0), peer: Trusted(i));
        }

        CoapAddress honest = Trusted(9);
        Assert.Equal(CoapCode.ServiceUnavailable, Get("x", peer: honest).Code);
        for (int second = 0; second < 100; second += 20)
        {
            Clock.Advance(TimeSpan.FromSeconds(20));
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

        Assert.Equal(CoapCode.Content, Get("x", peer: honest).Code);
        Assert.True(Server.Counters[CoapCounter.RepresentationEvictions] >= 1);
        Assert.Equal(199 * KiB, Rest("x", honest).Length);
        AssertAllFreed();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task Sources_that_take_all_they_can_get_and_make_progress_leave_room_for_a_modest_peer(int sources)
    {
        Options.Limits.MaxRepresentationBytes = 1024 * KiB;
        Options.Limits.LimitAmplification = false;
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
            Clock.Advance(TimeSpan.FromSeconds(2));
            Assert.Equal(CoapCode.Content, Get($"x/{40 * KiB}", new BlockValue(number, false, 6), peer: honest).Code);
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
    public async Task Strangers_that_fill_their_part_by_forged_requests_keep_nobody_out_who_receives_at_its_address()
    {
        Options.Limits.NewcomerBytes = 64 * KiB;
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
        Assert.Equal(CoapCode.Content, Get("x", new BlockValue(0, false, 2), options => options.Add(new Echo(echo.Span)), honest).Code);
        Assert.Equal(4096 + 1024 - 64, Rest("x", honest, 2).Length);
        AssertAllFreed();
    }

    [Fact]
    public async Task Newcomers_by_the_hundred_take_nothing_from_peers_that_came_back_and_were_never_verified()
    {
        Options.Limits.NewcomerBytes = 64 * KiB;
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
            Clock.Advance(TimeSpan.FromSeconds(20));
            Assert.Equal(tags, known.Select(peer => TagOf(Get("x", new BlockValue(number, false, 2), peer: peer))));
        }

        Assert.True(Server.Counters[CoapCounter.RepresentationsRefused] + Server.Counters[CoapCounter.RepresentationEvictions] > 100);
        AssertAllFreed();
    }

    [Fact]
    public async Task Peers_that_came_back_and_were_never_verified_take_a_part_only_and_nothing_from_those_that_were()
    {
        Options.Limits.MaxRepresentationBytes = 1024 * KiB;
        MapChanging(20 * KiB);
        await StartAsync();
        CoapAddress[] known = ComeBack(40);
        CoapCode[] codes = [.. known.Select(peer => Get("x", new BlockValue(0, false, 2), peer: peer).Code)];

        // Of 12 one source would take more than it leaves free.
        Assert.Equal(11, codes.Count(static code => code == CoapCode.Content));
        Assert.Equal(29, codes.Count(static code => code == CoapCode.Unauthorized));
        Assert.InRange(Memory.Responses.Unverified.Bytes, 220 * KiB, 256 * KiB);
        Assert.Contains("262144 bytes for all peers together whose addresses were never verified",
            Assert.Single(Logs.Entries, entry => entry.Id.Id == 1542).Text, StringComparison.Ordinal);
        for (int i = 0; i < 30; i++)
        {
            Assert.Equal(CoapCode.Content, Get("x", peer: Trusted(i)).Code);
        }

        Assert.Equal(0, Server.Counters[CoapCounter.RepresentationEvictions]);
        AssertAllFreed();
    }

    private static string TagOf(CoapMessage answer) => $"{answer.Code} {Convert.ToHexString(answer.Options.ETag.GetValueOrDefault().Span)}";

    private CoapAddress[] ComeBack(int count)
    {
        CoapAddress[] peers = [.. Enumerable.Range(0, count).Select(static i => CoapAddress.FromIPv4(0xcb010000 + (uint)i, 5683))];
        Array.ForEach(peers, peer => Get("none", peer: peer));
        Clock.Advance(TimeSpan.FromSeconds(3));
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
