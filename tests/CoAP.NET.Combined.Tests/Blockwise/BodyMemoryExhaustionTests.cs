using CoAP.NET.Blockwise.Server;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Blockwise;

/// <summary>
/// Strangers occupy the memory for bodies with few bytes, by streamed bodies or by the last Q-Block, which reserves room for all blocks.
/// Another client still uploads.
/// </summary>
public sealed class BodyMemoryExhaustionTests : QBlockTest
{
    private const int KiB = 1024;
    private const int Most = 1024 * KiB;

    private readonly List<int> _taken = [];

    public BodyMemoryExhaustionTests() => Options.Limits.Blockwise.RequestMemory = Most;

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [Rfc("7959-2.5-8", "7959-7.1-1")]
    public async Task A_peer_can_stream_a_body_although_few_sources_hold_streams_that_advance_by_16_bytes(int sources)
    {
        Options.Limits.Amplification.IsLimited = false;
        await StartUploadsAsync();
        List<(CoapAddress Peer, string Path)> held = HoldStreams(sources);
        Assert.InRange(Memory.Requests.Used, (sources == 1 ? 200 : 700) * KiB, Most - (50 * KiB));
        Assert.True(Server.Counters[CoapCounter.BodiesRefused] > 0);
        CoapAddress honest = Holder(99, 40_000);
        byte[] body = Body(10 * KiB);
        for (int offset = 0; offset < body.Length; offset += 256)
        {
            CoapMessage answer = Block(CoapMethod.Put, "stream/honest", body, offset, 256, peer: honest);
            Assert.Equal(offset + 256 < body.Length ? CoapCode.Continue : CoapCode.Changed, answer.Code);
            Clock.Advance(FromSeconds(2));
            foreach ((CoapAddress peer, string path) in held)
            {
                Block(CoapMethod.Put, path, body, 16 * ((offset / 256) + 1), 16, peer: peer);
            }
        }

        Assert.Equal([10 * KiB], _taken);
        Assert.True(Memory.Requests.Sources <= sources + 1);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_source_that_begins_3000_streamed_uploads_gets_a_share_of_the_open_streams_and_another_peer_can_upload()
    {
        Options.Limits.Blockwise.RequestMemory = 64 * KiB * KiB;
        Options.Limits.Amplification.IsLimited = false;
        await StartUploadsAsync();
        byte[] body = Body(10 * KiB);
        for (int port = 0; port < 3000; port++)
        {
            Hand(First($"stream/{port}", body), Holder(0, 1000 + port));
        }

        Assert.InRange(Server.Endpoint.Served.Count, 100, 256);
        Assert.Equal(CoapCode.Changed, Upload(CoapMethod.Put, "stream/honest", body, KiB, peer: Holder(99, 40_000)).Code);
        Assert.Equal([10 * KiB], _taken);
        AssertAllFreed();
    }

    [Theory]
    [InlineData(long.MaxValue, 1024)]
    [InlineData(1_048_576, 1024)]
    [InlineData(1024, 128)]
    [InlineData(256, 32)]
    [InlineData(4, 1)]
    public void All_open_streams_together_use_an_eighth_of_the_descriptors_of_the_process(long descriptors, int streams)
    {
        BlockwiseBudgets budgets = new(new CoapLimits(), descriptors);
        Assert.Equal(
            (streams, streams),
            (budgets.Requests.Max / budgets.Requests.OpenStream, budgets.Responses.Max / budgets.Responses.OpenStream));
    }

    [Fact]
    public void A_small_memory_for_bodies_has_room_for_64_open_streams() =>
        Assert.Equal(1024, new BlockwiseBudget(64 * KiB, share: 0.25).OpenStream);

    [Fact]
    public async Task Streamed_uploads_without_progress_are_evicted_when_memory_is_requested()
    {
        Options.Limits.Amplification.IsLimited = false;
        await StartUploadsAsync();
        HoldStreams(4);
        long used = Memory.Requests.Used;

        // Those who came last are refused, and from then on who stands still has to go, though nobody asks again.
        Clock.Advance(FromSeconds(60));
        Assert.InRange(Memory.Requests.Used, 0, used / 8);
        Assert.True(Server.Counters[CoapCounter.BodiesEvicted] > 20);

        // Handlers are told and do not wait for blocks that never come.
        Assert.InRange(Server.Endpoint.Served.Count, 0, 20);
        Assert.Empty(_taken);
        AssertAllFreed();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [Rfc("7959-2.5-8")]
    public async Task Single_QBlock1_blocks_use_only_the_share_of_their_source_and_another_peer_can_upload(int sources)
    {
        Options.Limits.Amplification.IsLimited = false;
        await StartUploadsAsync();
        byte[] large = Body(100 * KiB);
        int middle = large.Length / 32;
        for (int port = 0; port < 60; port++)
        {
            for (int source = 0; source < sources; source++)
            {
                Hand(QBlock1(large, middle, path: $"/whole/{port}"), Holder(source, 1000 + port));
            }
        }

        Assert.InRange(Memory.Requests.Used, (sources == 1 ? 200 : 600) * KiB, Most - (100 * KiB));
        Assert.True(Server.Counters[CoapCounter.BodiesRefused] > 0);
        byte[] body = Body(40 * KiB);
        CoapAddress honest = Holder(99, 40_000);
        CoapMessage? answer = null;
        for (int number = 0; number < 40; number++)
        {
            answer = Hand(QBlock1(body, number, KiB, path: "/whole/honest"), honest);
            Clock.Advance(FromMilliseconds(100));
        }

        Assert.Equal((CoapCode.Changed, 1), (answer!.Code, _taken.Count));
        Assert.Equal(40 * KiB, _taken[0]);
        AssertAllFreed();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Known_unverified_addresses_use_at_most_a_quarter_of_the_upload_memory(bool usesQBlock)
    {
        await StartUploadsAsync();
        CoapAddress[] forged = [.. Enumerable.Range(0, 200).Select(static i => Holder(i, 5683))];
        Array.ForEach(forged, peer => Get("none", peer: peer));
        Clock.Advance(FromSeconds(3));
        byte[] large = Body(100 * KiB);
        CoapMessage? refusal = null;
        foreach (CoapAddress peer in forged)
        {
            refusal = Hand(usesQBlock ? QBlock1(large, (8 * KiB / 16) - 1, path: "/whole/x") : First("stream/x", large), peer);
        }

        // At most a quarter; a source gets less while less is free.
        Assert.InRange(Memory.Requests.Unverified.Bytes, 192 * KiB, 256 * KiB);
        Assert.Equal(Memory.Requests.Used, Memory.Requests.Unverified.Bytes);
        Assert.Equal(CoapCode.Unauthorized, refusal!.Code);

        // A peer that proves its address by Echo gets a quota of its own. A known peer needs no proof.
        EchoOption echo = new(refusal.Options.Echo!.Value.Span);
        CoapAddress honest = forged[^1];
        byte[] body = Body(4 * KiB);
        Assert.Equal(CoapCode.Changed, Upload(CoapMethod.Put, "stream/y", body, KiB, options => options.Add(echo), honest).Code);
        Assert.Equal(CoapCode.Changed, Upload(CoapMethod.Put, "stream/y", body, KiB).Code);
        Assert.Equal([4 * KiB, 4 * KiB], _taken);
        AssertAllFreed();
    }

    [Fact]
    public async Task An_upload_of_an_unverified_peer_continues_after_the_requested_Echo()
    {
        await StartUploadsAsync();
        CoapAddress[] peers = [.. Enumerable.Range(0, 31).Select(static i => Holder(i, 5683))];
        Array.ForEach(peers, peer => Get("none", peer: peer));
        Clock.Advance(FromSeconds(3));
        CoapAddress honest = peers[^1];
        byte[] body = Body(30 * KiB);
        Assert.Equal(CoapCode.Continue, Block(CoapMethod.Put, "whole/x", body, 0, KiB, peer: honest).Code);
        foreach (CoapAddress peer in peers[..^1])
        {
            Hand(First("stream/x", body), peer);
        }

        int offset = KiB;
        CoapMessage answer;
        while ((answer = Block(CoapMethod.Put, "whole/x", body, offset, KiB, peer: honest)).Code == CoapCode.Continue)
        {
            offset += KiB;
        }

        Assert.Equal(CoapCode.Unauthorized, answer.Code);
        EchoOption echo = new(answer.Options.Echo!.Value.Span);
        for (; offset < body.Length; offset += KiB)
        {
            answer = Block(CoapMethod.Put, "whole/x", body, offset, KiB, options => options.Add(echo), honest);
        }

        Assert.Equal((CoapCode.Changed, 1), (answer.Code, _taken.Count));
        AssertAllFreed();
    }

    private Task StartUploadsAsync()
    {
        Server.MapPut("/stream/{id}", async (CoapRequestContext request) =>
        {
            MemoryStream body = new();
            await request.BodyReader.CopyToAsync(body).ConfigureAwait(false);
            _taken.Add((int)body.Length);
            return CoapResults.Changed();
        }).WithStreamedBody();
        Server.MapPut("/whole/{id}", request =>
        {
            _taken.Add(request.Payload.Length);
            return CoapResults.Changed();
        });
        return StartAsync();
    }

    private static CoapAddress Holder(int source, int port) => CoapAddress.FromIPv4(0xc6336400 + ((uint)source << 8), (ushort)port);

    private static CoapMessage First(string path, byte[] body) =>
        Message(CoapMethod.Put, path, options => options.Block1 = BlockValue.FromSize(0, true, 16), body[..16]);

    // Of each source as many ports as it likes, each with a block of 16 bytes.
    private List<(CoapAddress Peer, string Path)> HoldStreams(int sources)
    {
        List<(CoapAddress, string)> held = [];
        byte[] body = Body(10 * KiB);
        for (int port = 0; port < 40; port++)
        {
            for (int source = 0; source < sources; source++)
            {
                CoapAddress peer = Holder(source, 1000 + port);
                if (Hand(First($"stream/{port}", body), peer)!.Code == CoapCode.Continue)
                {
                    held.Add((peer, $"stream/{port}"));
                }
            }
        }

        return held;
    }

    private CoapMessage? Hand(CoapMessage message, CoapAddress peer) => TrySend(message, peer);
}
