namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Sessions that several servers keep for short handshakes, in a store that answers later.</summary>
public sealed class ResumptionStoreGuardTests
{
    private readonly SharedSessions _store = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_session_of_a_server_is_resumed_at_another_server_with_its_identity_and_repeatedly(bool hasCertificates)
    {
        using ClientBench bench = new(Settings(hasCertificates));
        await bench.ConnectAsync(1, "device.example");
        (string? psk, string? thumbprint) = IdentityOf(bench.ServerSink.Opened[0]);
        for (int again = 1; again <= 3; again++)
        {
            // Another one, which knows nothing but what the store has.
            bench.RestartServer();
            DtlsSession session = await bench.ConnectAsync(1 + again, "device.example");
            await bench.DriveAsync(() => bench.Server.SessionCount == 1);
            Assert.Equal(1, bench.Server.Counters.HandshakesResumed);
            Assert.Equal((psk, thumbprint), IdentityOf(bench.ServerSink.Opened[again]));
            await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[again]);
        }

        Assert.True(psk is not null || thumbprint is not null);
        Assert.Single(_store.States);
    }

    [Theory]
    [InlineData("")]
    [InlineData("another key")]
    public Task A_client_whose_key_was_removed_or_replaced_cannot_resume(string key) =>
        WithdrawnClients.AssertKeyDoesNotResumeAsync(Settings(false), key);

    [Fact]
    public Task A_client_whose_certificate_is_refused_since_then_cannot_resume() =>
        WithdrawnClients.AssertCertificateDoesNotResumeAsync(Settings(true));

    [Fact]
    public async Task A_handshake_waits_for_a_slow_store_without_blocking_a_thread()
    {
        using ClientBench bench = new(Settings(false));
        await bench.ConnectAsync(1);
        TaskCompletionSource gate = new();
        _store.Gate = gate.Task;
        Task<DtlsSession> connecting = bench.BeginAsync(2);

        // The call has come back, and nobody has a session yet.
        Assert.False(connecting.IsCompleted);
        Assert.Equal(1, bench.Server.HandshakeCount);
        gate.SetResult();
        await bench.DriveAsync(() => connecting.IsCompleted && bench.Server.SessionCount == 2);
        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);
    }

    [Fact]
    public async Task A_store_that_does_not_answer_leads_to_a_full_handshake_and_is_not_awaited_by_the_next_handshake()
    {
        using ClientBench bench = new(Settings(false));
        await bench.ConnectAsync(1);
        TaskCompletionSource never = new();
        _store.Gate = never.Task;
        Task<DtlsSession> connecting = bench.BeginAsync(2);
        Assert.False(connecting.IsCompleted);
        bench.Clock.Advance(ResumptionStoreGuard.LongestWait);
        await bench.DriveAsync(() => connecting.IsCompleted && bench.Server.SessionCount == 2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
        Assert.Equal(1, bench.Server.Counters.ResumptionFailures);

        // No time passes.
        await bench.ConnectAsync(3);
        Assert.Equal((3, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));

        // It is asked again later, when it answers.
        _store.Gate = null;
        never.SetResult();
        await Eventually.IsTrueAsync(() => _store.States.Count == 3);
        bench.Clock.Advance(FromSeconds(1));
        await bench.ConnectAsync(4);
        await bench.DriveAsync(() => bench.Server.SessionCount == 4);
        Assert.Equal((4, 1), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
    }

    [Fact]
    public async Task A_store_that_fails_leads_to_a_full_handshake_and_is_counted()
    {
        using ClientBench bench = new(Settings(false));
        await bench.ConnectAsync(1);
        _store.Gate = Task.FromException(new InvalidOperationException("The database is away."));
        DtlsSession session = await bench.ConnectAsync(2);
        await bench.DriveAsync(() => bench.Server.SessionCount == 2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));

        // The lookup, and the new session that was not kept.
        Assert.Equal(2, bench.Server.Counters.ResumptionFailures);
        await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[1]);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(40)]
    public async Task A_malformed_session_in_the_store_leads_to_a_full_handshake(int length)
    {
        using ClientBench bench = new(Settings(false));
        await bench.ConnectAsync(1);
        _store.States[_store.States.Keys.Single()] = new byte[length];
        await bench.ConnectAsync(2);
        await bench.DriveAsync(() => bench.Server.SessionCount == 2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
    }

    [Fact]
    public async Task An_expired_session_is_not_resumed_although_the_store_still_has_it()
    {
        VirtualClock clock = new();
        using ClientBench bench = new(Settings(false, clock));
        await bench.ConnectAsync(1);
        clock.Advance(FromHours(1));
        await bench.ConnectAsync(2);
        await bench.DriveAsync(() => bench.Server.SessionCount == 2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
    }

    [Fact]
    public async Task A_session_that_its_client_ended_with_a_fatal_alert_is_removed_from_the_store()
    {
        using ClientBench bench = new(Settings(false));
        DtlsSession session = await bench.ConnectAsync(1);
        await bench.DriveAsync(() => bench.Server.SessionCount == 1);
        Assert.Single(_store.States);
        ((IDtlsSessionOwner)bench.Server).OnEnded(bench.ServerSink.Opened[0], DtlsSessionEndReason.FailedByPeer);
        Assert.Empty(_store.States);
        session.End(DtlsSessionEndReason.Closed, tells: false);
    }

    [Fact]
    public async Task Pending_calls_to_a_store_are_limited_and_sessions_that_arrive_too_late_are_overwritten()
    {
        using ClientBench bench = new(Settings(false));
        ResumptionStoreGuard resumption = bench.Server.Resumption!;
        TaskCompletionSource gate = new();
        _store.Gate = gate.Task;
        byte[][] states = [.. Enumerable.Range(0, ResumptionStoreGuard.MaxCalls + 50).Select(_ => new byte[] { 1, 2, 3 })];
        foreach (byte[] state in states)
        {
            resumption.Add([1], state, DateTimeOffset.MaxValue);
        }

        Assert.Equal(ResumptionStoreGuard.MaxCalls, _store.Calls);
        Assert.Equal(50, bench.Server.Counters.ResumptionFailures);
        Assert.Null(await resumption.FindAsync([1], default));
        Assert.All(states[ResumptionStoreGuard.MaxCalls..], state => Assert.Equal(new byte[3], state));
        gate.SetResult();
        await Eventually.IsTrueAsync(() => states.All(state => state.AsSpan().IndexOfAnyExcept((byte)0) < 0));
        Assert.NotNull(await resumption.FindAsync([1], default));
    }

    [Fact]
    public void Session_IDs_start_with_the_slot_when_the_server_has_slots()
    {
        byte[] name = new byte[32];
        new SessionIdGenerator(new VirtualRandom(1), 77).Fill(name);
        Assert.Equal(77, name[0]);
        byte[] other = new byte[32];
        new SessionIdGenerator(new VirtualRandom(1), null).Fill(other);
        Assert.NotEqual(77, other[0]);
        Assert.Equal(name[1..], other[1..]);
    }

    private static (string? Psk, string? Thumbprint) IdentityOf(DtlsSession session) =>
        (session.PskIdentity, session.PeerCertificate?.Thumbprint);

    private BenchSettings Settings(bool hasCertificates, TimeProvider? time = null)
    {
        BenchSettings settings = hasCertificates ? CertificateTests.MutualSettings() : BenchSettings.OfPsk();

        // Where handshakes are counted the machine may be slow.
        settings.Client = settings.Client with { RetransmitTimeout = FromSeconds(30) };
        settings.Server = settings.Server with
        {
            RetransmitTimeout = FromSeconds(30),
            AsyncSessionStore = _store,
            ResumptionLifetime = FromHours(1),
            Time = time ?? TimeProvider.System,
        };
        return settings;
    }
}
