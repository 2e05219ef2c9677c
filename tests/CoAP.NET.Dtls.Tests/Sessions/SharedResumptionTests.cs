namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Sessions that several servers keep for short handshakes, in a store that answers later.</summary>
public sealed class SharedResumptionTests
{
    private readonly SharedSessions _store = new();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_session_of_one_server_is_resumed_at_another_with_its_identity_and_more_than_once(bool hasCertificates)
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
    public Task A_client_whose_key_was_removed_or_replaced_does_not_resume(string key) =>
        WithdrawnClients.AssertKeyDoesNotResumeAsync(Settings(false), key);

    [Fact]
    public Task A_certificate_that_is_refused_since_does_not_resume() =>
        WithdrawnClients.AssertCertificateDoesNotResumeAsync(Settings(true));

    [Fact]
    public async Task A_store_that_answers_late_is_waited_for_by_the_handshake_and_by_no_thread()
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
    public async Task A_store_that_does_not_answer_costs_a_whole_handshake_and_the_next_one_does_not_wait_for_it()
    {
        using ClientBench bench = new(Settings(false));
        await bench.ConnectAsync(1);
        TaskCompletionSource never = new();
        _store.Gate = never.Task;
        Task<DtlsSession> connecting = bench.BeginAsync(2);
        Assert.False(connecting.IsCompleted);
        bench.Clock.Advance(SharedResumption.LongestWait);
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
    public async Task A_store_that_fails_costs_a_whole_handshake_and_is_counted()
    {
        using ClientBench bench = new(Settings(false));
        await bench.ConnectAsync(1);
        _store.Gate = Task.FromException(new InvalidOperationException("The database is away."));
        DtlsSession session = await bench.ConnectAsync(2);
        await bench.DriveAsync(() => bench.Server.SessionCount == 2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));

        // The look-up, and the new session that was not kept.
        Assert.Equal(2, bench.Server.Counters.ResumptionFailures);
        await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[1]);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(40)]
    public async Task What_a_store_has_that_is_no_session_costs_a_whole_handshake(int length)
    {
        using ClientBench bench = new(Settings(false));
        await bench.ConnectAsync(1);
        _store.States[_store.States.Keys.Single()] = new byte[length];
        await bench.ConnectAsync(2);
        await bench.DriveAsync(() => bench.Server.SessionCount == 2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
    }

    [Fact]
    public async Task An_expired_session_is_made_anew_also_where_the_store_still_has_it()
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
    public async Task A_session_that_its_client_ended_with_an_error_is_forgotten()
    {
        using ClientBench bench = new(Settings(false));
        DtlsSession session = await bench.ConnectAsync(1);
        await bench.DriveAsync(() => bench.Server.SessionCount == 1);
        Assert.Single(_store.States);
        ((IDtlsSessionHome)bench.Server).OnEnded(bench.ServerSink.Opened[0], DtlsEnd.FailedByPeer);
        Assert.Empty(_store.States);
        session.End(DtlsEnd.Closed, tells: false);
    }

    [Fact]
    public async Task Calls_to_a_store_that_never_answers_are_bounded_and_what_came_too_late_is_wiped()
    {
        using ClientBench bench = new(Settings(false));
        SharedResumption resumption = bench.Server.Resumption!;
        TaskCompletionSource gate = new();
        _store.Gate = gate.Task;
        byte[][] states = [.. Enumerable.Range(0, SharedResumption.MaxCalls + 50).Select(_ => new byte[] { 1, 2, 3 })];
        foreach (byte[] state in states)
        {
            resumption.Add([1], state, DateTimeOffset.MaxValue);
        }

        Assert.Equal(SharedResumption.MaxCalls, _store.Calls);
        Assert.Equal(50, bench.Server.Counters.ResumptionFailures);
        Assert.Null(await resumption.FindAsync([1], default));
        Assert.All(states[SharedResumption.MaxCalls..], state => Assert.Equal(new byte[3], state));
        gate.SetResult();
        await Eventually.IsTrueAsync(() => states.All(state => state.AsSpan().IndexOfAnyExcept((byte)0) < 0));
        Assert.NotNull(await resumption.FindAsync([1], default));
    }

    [Fact]
    public void Names_begin_with_the_slot_where_there_is_one()
    {
        byte[] name = new byte[32];
        new SessionNaming(new VirtualRandom(1), 77).Fill(name);
        Assert.Equal(77, name[0]);
        byte[] other = new byte[32];
        new SessionNaming(new VirtualRandom(1), null).Fill(other);
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
