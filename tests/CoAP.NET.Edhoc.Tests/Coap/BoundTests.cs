using CoAP.NET.Edhoc.Coap;

namespace CoAP.NET.Edhoc.Tests.Coap;

/// <summary>What strangers can make a server do and keep.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class BoundTests
{
    [Fact]
    public void Limits_of_zero_are_refused()
    {
        EdhocServerOptions options = new();
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Timeout = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxSessions = 0);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.MaxSessionsPerSource = 0);
    }

    [Fact]
    [Rfc("9528-9.7-1", "9528-A.2-4")]
    public Task First_messages_from_forged_addresses_cost_neither_keys_nor_memory() => FloodAsync(500);

    /// <summary>The same with 100,000, which takes longer than the plain test command may.</summary>
    [Fact]
    [Trait("Category", "Campaign")]
    public Task Very_many_first_messages_from_forged_addresses_cost_neither_keys_nor_memory() =>
        FloodAsync(Environment.GetEnvironmentVariable("COAP_TEST_CAMPAIGN") is null ? 500 : 100_000);

    [Fact]
    public async Task Sessions_of_a_source_are_limited_and_other_sources_are_served()
    {
        await using EdhocWorld world = new(options => options.MaxSessionsPerSource = 5);
        await world.Server.StartAsync();
        CoapClient greedy = world.MakeClient("[2001:db8:66::1]");
        for (int i = 0; i < 5; i++)
        {
            await world.PostAsync(greedy, First(world)).Gives(CoapCode.Changed);
        }

        CoapResponse refused = await world.PostAsync(greedy, First(world));

        refused.Gives(CoapCode.ServiceUnavailable);
        Assert.Equal((5, 5L, 1L), (
            world.Edhoc.GetCounters().Sessions, world.Edhoc.GetCounters().Begun, world.Edhoc.GetCounters().Busy));
        EdhocClient honest = world.MakeEdhoc();
        using EdhocResult session = await world.ConnectAsync(honest);
        Assert.Single(world.Established);
    }

    [Fact]
    [Rfc("9528-5.4.3-3", "9528-6-3", "9528-A.2.3-1", "9528-A.2.3-2")]
    public async Task Failed_sessions_count_until_their_timeout()
    {
        await using EdhocWorld world = new(options => options.MaxSessionsPerSource = 3);
        await world.Server.StartAsync();
        CoapClient greedy = world.MakeClient("[2001:db8:66::1]");
        for (int i = 0; i < 3; i++)
        {
            EdhocInitiator initiator = Initiator(world);
            CoapResponse second = await world.PostAsync(greedy, [0xf5, .. initiator.CreateMessage1()]);
            initiator.ReadMessage2(second.Payload);
            CoapResponse failed = await world.PostAsync(greedy, [.. initiator.PeerConnectionId.Span, 0x48, .. new byte[8]]);
            failed.Gives(CoapCode.BadRequest);
        }

        await world.PostAsync(greedy, First(world)).Gives(CoapCode.ServiceUnavailable);
        Assert.Equal((3L, 3L), (world.Edhoc.GetCounters().Begun, world.Edhoc.GetCounters().Failed));
        world.Clock.Advance(FromSeconds(61));
        Assert.Equal(0, world.Edhoc.GetCounters().Sessions);
        await world.PostAsync(greedy, First(world)).Gives(CoapCode.Changed);
    }

    [Fact]
    [Rfc("9528-7-4")]
    public async Task A_session_that_is_not_continued_ends_after_its_timeout()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        EdhocInitiator initiator = Initiator(world);
        initiator.ReadMessage2((await world.PostAsync(client, [0xf5, .. initiator.CreateMessage1()])).Payload);
        byte[] third = initiator.CreateMessage3([world.ServerKey.Credential]);
        Assert.Equal(1, world.Edhoc.GetCounters().Sessions);

        world.Clock.Advance(FromSeconds(61));

        Assert.Equal((0, 1L), (world.Edhoc.GetCounters().Sessions, world.Edhoc.GetCounters().Abandoned));
        CoapResponse late = await world.PostAsync(client, [.. initiator.PeerConnectionId.Span, .. third]);
        late.Gives(CoapCode.BadRequest);
        Assert.Empty(world.Established);
    }

    [Fact]
    public async Task A_session_of_the_source_with_the_most_sessions_is_evicted_for_a_new_source()
    {
        await using EdhocWorld world = new(options =>
        {
            options.MaxSessions = 6;
            options.MaxSessionsPerSource = 5;
        });
        await world.Server.StartAsync();
        CoapClient greedy = world.MakeClient("[2001:db8:66::1]");
        CoapClient modest = world.MakeClient("[2001:db8:77::1]");
        EdhocInitiator kept = Initiator(world);
        kept.ReadMessage2((await world.PostAsync(modest, [0xf5, .. kept.CreateMessage1()])).Payload);
        for (int i = 0; i < 5; i++)
        {
            await world.PostAsync(greedy, First(world));
        }

        EdhocClient honest = world.MakeEdhoc();
        using EdhocResult session = await world.ConnectAsync(honest);

        Assert.Equal(1, world.Edhoc.GetCounters().Abandoned);
        CoapResponse last = await world.PostAsync(
            modest, [.. kept.PeerConnectionId.Span, .. kept.CreateMessage3([world.ServerKey.Credential])]);
        last.Gives(CoapCode.Changed);
        Assert.Equal(2, world.Established.Count);
    }

    [Fact]
    [Rfc("9528-6-5", "9528-9.7-2")]
    public async Task A_session_cannot_be_ended_by_another_client_that_knows_its_identifier()
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        CoapClient attacker = world.MakeClient("[2001:db8:66::1]");
        EdhocInitiator initiator = Initiator(world);
        initiator.ReadMessage2((await world.PostAsync(client, [0xf5, .. initiator.CreateMessage1()])).Payload);
        byte[] identifier = initiator.PeerConnectionId.ToArray();

        foreach (byte[] wrong in new byte[][] { [0x48, .. new byte[8]], [0x01, 0x60], [0x03, 0xf5] })
        {
            await world.PostAsync(attacker, [.. identifier, .. wrong]).Gives(CoapCode.BadRequest);
        }

        CoapResponse last = await world.PostAsync(
            client, [.. identifier, .. initiator.CreateMessage3([world.ServerKey.Credential])]);
        last.Gives(CoapCode.Changed);
        Assert.Single(world.Established);
    }

    [Fact]
    public async Task A_credential_lookup_that_takes_too_long_ends_the_session()
    {
        TaskCompletionSource<IReadOnlyList<EdhocCredential>> never = new();
        await using EdhocWorld world = new(options => options.Trust = new SlowTrust(never.Task));
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        EdhocException error = await world.FailAsync(client);

        Assert.True(error.IsOfPeer);
        error.Mentions("too long");
        Assert.Equal(1, world.Edhoc.GetCounters().Failed);
    }

    [Fact]
    public async Task A_session_whose_timeout_expires_during_the_Established_callback_is_still_established()
    {
        TaskCompletionSource begun = new();
        TaskCompletionSource goesOn = new();
        await using EdhocWorld world = new(options => options.Established = async (_, _, _) =>
        {
            begun.SetResult();
            await goesOn.Task;
        });
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        EdhocInitiator initiator = Initiator(world);
        initiator.ReadMessage2((await world.PostAsync(client, [0xf5, .. initiator.CreateMessage1()])).Payload);
        byte[] third = [.. initiator.PeerConnectionId.Span, .. initiator.CreateMessage3([world.ServerKey.Credential])];
        Task<CoapResponse> asked = client.PostAsync(
            $"{EdhocWorld.Uri}/.well-known/edhoc", new CoapContent(third, CoapContentFormat.CidEdhocCborSequence));
        await world.Clock.AdvanceUntilAsync(begun.Task, FromSeconds(10));

        world.Clock.Advance(FromSeconds(61));
        Assert.Equal(0, world.Edhoc.GetCounters().Sessions);
        goesOn.SetResult();

        await world.RunAsync(() => asked).Gives(CoapCode.Changed);
        Assert.Equal((1L, 0L), (world.Edhoc.GetCounters().Established, world.Edhoc.GetCounters().Failed));
    }

    [Fact]
    [Rfc("9668-4.1.1-1", "9668-4.1.2-1")]
    public async Task Identifiers_in_use_are_not_chosen()
    {
        await using EdhocWorld world = new(options => options.IsIdentifierTaken = id => id.Length == 1);
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc(options => options.IsIdentifierTaken = id => id.Span[0] != 7 || id.Length != 1);

        using EdhocResult session = await world.RunAsync(async () =>
        {
            for (int i = 0; ; i++)
            {
                try
                {
                    return await client.ConnectAsync(EdhocWorld.Uri);
                }
                catch (EdhocException exception) when (i < 1000 && exception.Message.Contains("No free", Ordinal))
                {
                    // The one that is free was not among those that were tried.
                }
            }
        });

        Assert.Equal([7], session.OwnConnectionId.ToArray());
        Assert.Equal(2, session.PeerConnectionId.Length);
    }

    [Fact]
    [Rfc("9668-4.1.1-1")]
    public async Task Concurrent_sessions_of_a_client_have_different_identifiers()
    {
        // There are 48 identifiers of one byte, so that some of 30 random ones would be equal.
        await using EdhocWorld world = new(options => options.MaxSessionsPerSource = 30);
        await world.Server.StartAsync();
        EdhocClient client = world.MakeEdhoc();

        EdhocResult[] sessions = await world.RunAsync(
            () => Task.WhenAll(Enumerable.Range(0, 30).Select(_ => client.ConnectAsync(EdhocWorld.Uri))));

        Assert.Equal(30, sessions.Select(session => Convert.ToHexString(session.OwnConnectionId.Span)).Distinct().Count());
    }

    [Fact]
    [Rfc("9668-4.1.2-1")]
    public async Task Pending_sessions_of_a_server_have_different_identifiers()
    {
        await using EdhocWorld world = new(options => options.MaxSessionsPerSource = 30);
        await world.Server.StartAsync();
        CoapClient client = world.MakeClient();
        HashSet<string> identifiers = [];
        for (int i = 0; i < 30; i++)
        {
            using EdhocInitiator initiator = Initiator(world);
            initiator.ReadMessage2((await world.PostAsync(client, [0xf5, .. initiator.CreateMessage1()])).Payload);
            identifiers.Add(Convert.ToHexString(initiator.PeerConnectionId.Span));
        }

        Assert.Equal((30, 30), (identifiers.Count, world.Edhoc.GetCounters().Sessions));
    }

    private static async Task FloodAsync(int count)
    {
        await using EdhocWorld world = new();
        await world.Server.StartAsync();
        byte[] payload = First(world);
        byte[] head = [0x50, 0x02, 0, 0, 0xbb, .. ".well-known"u8, 0x05, .. "edhoc"u8, 0x11, 65, 0xff];
        long answered = 0;
        for (int i = 0; i < count; i++)
        {
            using ScriptedPeer forged = world.Network.CreatePeer(
                InMemoryNetwork.Address($"[2001:db9:{i >> 8:x}:{(i & 0xff) << 8:x}::1]:5683"),
                InMemoryNetwork.Address("[2001:db8::1]:5683"));
            forged.Responder = received => Interlocked.Add(ref answered, received.Data.Length) > 0;
            (head[2], head[3]) = ((byte)(i >> 8), (byte)i);
            forged.Send([.. head, .. payload]);
            world.Clock.Advance(FromMilliseconds(1));
        }

        EdhocServerCounters counters = world.Edhoc.GetCounters();
        Assert.Equal((0, 0L), (counters.Sessions, counters.Begun));
        Assert.True(counters.Challenges > 0);
        Assert.True(answered <= (long)count * (head.Length + payload.Length));
    }

    private static EdhocInitiator Initiator(EdhocWorld world) =>
        new(Parties.Settings(2), EdhocMethod.StaticStatic, [world.ClientKey], new byte[] { 0x18, 1 });

    private static byte[] First(EdhocWorld world) => [0xf5, .. Initiator(world).CreateMessage1()];

    private sealed class SlowTrust(Task<IReadOnlyList<EdhocCredential>> result) : IEdhocCredentialResolver
    {
        public ValueTask<IReadOnlyList<EdhocCredential>> FindAsync(
            EdhocClaimedPeerIdentity claim, CancellationToken cancellationToken) => new(result);
    }
}
