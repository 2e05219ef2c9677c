namespace CoAP.NET.Tests.Blockwise;

/// <summary>Who may not come in does not get a body put together: gates are asked about the first block.</summary>
public sealed class AdmissionTests : BlockwiseTest
{
    [Fact]
    public async Task A_rate_limiter_is_called_for_the_first_block_of_a_body_and_not_again_for_the_whole_body()
    {
        int permits = 1;
        int asked = 0;
        int runs = 0;
        Server.MapPut("/x", () =>
        {
            runs++;
            return CoapResults.Changed();
        }).RequireRateLimiting(_ =>
        {
            asked++;
            return permits-- > 0 ? null : FromSeconds(7);
        });
        await StartAsync();
        Upload(CoapMethod.Put, "x", Body(5000), 1024).Gives(CoapCode.Changed);
        Assert.Equal((1, 1), (asked, runs));
        CoapMessage held = Block(CoapMethod.Put, "x", Body(5000, 2), 0, 1024);
        Assert.Equal((CoapCode.TooManyRequests, FromSeconds(7)), (held.Code, held.Options.MaxAge));
        Assert.Equal((0, 0L), (Bodies.Count, Memory.Requests.Used));

        // What comes after it is a piece of nothing.
        Block(CoapMethod.Put, "x", Body(5000, 2), 1024, 1024).Gives(CoapCode.RequestEntityIncomplete);
        Assert.Equal((2, 1), (asked, runs));
        AssertAllFreed();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_beforeBody_filter_refuses_uploads_of_unverified_peers_before_they_use_memory(bool late)
    {
        Options.Limits.Blockwise.RequestMemory = 64 * 1024;
        List<(bool IsPending, int Length, string Id)> seen = [];
        Server.MapPut("/x/{id}", request => CoapResults.Bytes(request.Payload)).AddFilterFactory(
            (_, next) => async (request, cancellationToken) =>
            {
                seen.Add((request.IsBodyPending, request.Payload.Length, request.Route["id"]!));
                if (late)
                {
                    await Task.Yield();
                }

                return request.Peer.Address.Port == Peer.Port ? await next(request, cancellationToken) : CoapResults.Forbidden();
            },
            beforeBody: true);
        await StartAsync();
        for (int i = 0; i < 200; i++)
        {
            CoapMessage refused = await SendLateAsync(First($"x/{i}"), Other);
            Assert.Equal(CoapCode.Forbidden, refused.Code);
        }

        Assert.Equal((0, 0L), (Bodies.Count, Memory.Requests.Used));
        seen.Clear();
        Assert.Equal(CoapCode.Continue, (await SendLateAsync(First("x/7"), Peer)).Code);
        CoapMessage whole = await SendLateAsync(
            Message(CoapMethod.Put, "x/7", options => options.Block1 = new BlockValue(1, false, 6), Body(1500)[1024..]), Peer);
        Assert.Equal(CoapCode.Content, whole.Code);
        Assert.Equal([(true, 1024, "7"), (false, 1500, "7")], seen);
        AssertAllFreed();

        static CoapMessage First(string path) =>
            Message(CoapMethod.Put, path, options => options.Block1 = new BlockValue(0, true, 6), Body(1500)[..1024]);
    }

    [Fact]
    public async Task A_filter_without_beforeBody_sees_only_the_whole_body()
    {
        int asked = 0;
        Server.MapPut("/x", () => CoapResults.Changed()).AddFilter((request, next, cancellationToken) =>
        {
            asked++;
            Assert.Equal((false, 5000), (request.IsBodyPending, request.Payload.Length));
            return next(request, cancellationToken);
        });
        await StartAsync();
        Upload(CoapMethod.Put, "x", Body(5000), 1024).Gives(CoapCode.Changed);
        Assert.Equal(1, asked);
    }

    [Fact]
    [Rfc("9175-2.3-1")]
    public async Task RequireFreshness_applies_to_the_first_block_and_again_after_a_slow_upload()
    {
        int runs = 0;
        Server.MapPut("/x", () =>
        {
            runs++;
            return CoapResults.Changed();
        }).RequireFreshness(FromSeconds(10));
        await StartAsync();
        byte[] body = Body(1500);
        CoapMessage challenge = Block(CoapMethod.Put, "x", body, 0, 1024);
        Assert.Equal((CoapCode.Unauthorized, 0), (challenge.Code, Bodies.Count));
        EchoOption echo = challenge.Options.Get<EchoOption>()!;
        Block(CoapMethod.Put, "x", body, 0, 1024, options => options.Add(echo)).Gives(CoapCode.Continue);
        Clock.Advance(FromSeconds(5));
        Block(CoapMethod.Put, "x", body, 1024, 1024).Gives(CoapCode.Changed);

        echo = Block(CoapMethod.Put, "x", body, 0, 1024).Options.Get<EchoOption>()!;
        Block(CoapMethod.Put, "x", body, 0, 1024, options => options.Add(echo)).Gives(CoapCode.Continue);
        Clock.Advance(FromSeconds(15));
        challenge = Block(CoapMethod.Put, "x", body, 1024, 1024);
        Assert.Equal((CoapCode.Unauthorized, 1), (challenge.Code, runs));
        Block(CoapMethod.Put, "x", body, 1024, 1024, options => options.Add(challenge.Options.Get<EchoOption>()!)).Gives(CoapCode.Changed);
        Assert.Equal(2, runs);
        AssertAllFreed();
    }

    [Fact]
    public async Task An_exception_of_a_beforeBody_filter_gives_5_00_and_stores_nothing()
    {
        Server.MapPut("/x", () => CoapResults.Changed())
            .AddFilterFactory((_, _) => (_, _) => throw new InvalidOperationException("broken"), beforeBody: true);
        await StartAsync();
        Block(CoapMethod.Put, "x", Body(5000), 0, 1024).Gives(CoapCode.InternalServerError);
        Assert.Equal(0, Bodies.Count);
        AssertAllFreed();
    }

    [Fact]
    public async Task A_body_larger_than_the_share_of_a_source_is_refused_at_its_first_block()
    {
        Options.Limits.Blockwise.RequestMemory = 400 * 1024;
        Server.MapPut("/x", () => CoapResults.Changed()).WithMaxBodySize(100 << 20);
        Server.MapPut("/stream", async (CoapRequestContext request) =>
        {
            await request.BodyReader.CopyToAsync(Stream.Null);
            return CoapResults.Changed();
        }).WithMaxBodySize(100 << 20).WithStreamedBody();
        await StartAsync();
        CoapMessage refusal = Block(CoapMethod.Put, "x", Body(5000), 0, 1024, options => options.Size1 = 200 * 1024);
        Assert.Equal((CoapCode.RequestEntityTooLarge, 100u * 1024 - 640), (refusal.Code, refusal.Options.Size1));
        string told = Assert.Single(Logs.Entries, entry => entry.Id.Id == 1545).Text;
        told.Mentions("104857600");
        told.Mentions("MaxSourceFraction of RequestMemory");

        // Up to that size it is taken, also by who does not announce it.
        Upload(CoapMethod.Put, "x", Body(99 * 1024), 1024).Gives(CoapCode.Changed);
        Upload(CoapMethod.Put, "stream", Body(200 * 1024), 1024).Gives(CoapCode.Changed);
        AssertAllFreed();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    public async Task A_peer_can_upload_although_few_sources_use_all_the_memory_they_can_get_for_bodies(int sources)
    {
        Options.Limits.Blockwise.RequestMemory = 1024 * 1024;
        Options.Limits.Amplification.IsLimited = false;
        Server.MapPut("/x/{id}", request => CoapResults.Bytes(request.Payload));
        await StartAsync();
        byte[] body = Body(40 * 1024);
        List<(string Path, CoapAddress Peer)> held = [];
        for (int round = 0; round < 2; round++)
        {
            for (int source = 0; source < sources; source++)
            {
                for (int port = 0; port < 40; port++)
                {
                    // A large block by each port; those of the second round come from peers that are no newcomers.
                    CoapAddress peer = CoapAddress.FromIPv4(0xc6336400 + (uint)source, (ushort)(40_000 + port));
                    for (int i = 0; i < 20; i++)
                    {
                        Block(CoapMethod.Put, $"x/{i}", body, 0, 1024, peer: peer);
                    }
                }
            }

            Clock.Advance(FromSeconds(3));
        }

        CoapAddress honest = CoapAddress.FromIPv4(0xc6336501, 40_000);
        Get("none", peer: honest);
        Clock.Advance(FromSeconds(3));
        Upload(CoapMethod.Put, "x/1", body, 1024, peer: honest).Gives(CoapCode.Content);
        AssertAllFreed();
    }
}
