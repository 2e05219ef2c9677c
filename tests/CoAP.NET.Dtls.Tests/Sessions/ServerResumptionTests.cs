using System.Diagnostics.CodeAnalysis;
using System.Security.Cryptography.X509Certificates;
using CoAP.NET.Dtls.Handshakes;
using CoAP.NET.Dtls.Sessions;
using CoAP.NET.Dtls.Tests.Clients;
using CoAP.NET.Testing;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Sessions that a server keeps for short handshakes (RFC 5246 section 7.3).</summary>
public sealed class ServerResumptionTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_resumed_session_has_the_identity_of_the_first(bool hasCertificates)
    {
        CoapDtlsSessionMemory store = new();
        using ClientBench bench = new(Settings(store, hasCertificates));
        await bench.ConnectAsync(1, "device.example");
        DtlsSession first = bench.ServerSink.Opened[0];
        for (int again = 1; again <= 3; again++)
        {
            Assert.Equal(1, store.Count);
            DtlsSession session = await bench.ConnectAsync(1 + again, "device.example");
            await bench.DriveAsync(() => bench.Server.SessionCount == 1 + again);
            DtlsSession resumed = bench.ServerSink.Opened[again];
            Assert.Equal((first.PskIdentity, first.PeerCertificate?.Thumbprint),
                (resumed.PskIdentity, resumed.PeerCertificate?.Thumbprint));
            Assert.True(resumed.PskIdentity is not null || resumed.PeerCertificate is not null);
            Assert.Equal(again, bench.Server.Counters.HandshakesResumed);
            await DtlsClientTests.ExchangeAsync(bench, session, resumed);
        }
    }

    [Fact]
    public async Task A_server_that_keeps_its_store_resumes_after_a_restart()
    {
        using ClientBench bench = new(Settings(new CoapDtlsSessionMemory(), false));
        await bench.ConnectAsync(1);
        bench.RestartServer();
        await bench.ConnectAsync(2);
        await bench.DriveAsync(() => bench.Server.SessionCount == 1);
        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);
    }

    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 0)]
    public async Task A_server_that_trusts_others_does_not_resume_what_it_finds_in_a_shared_store(bool trustsOthers, int resumed)
    {
        BenchSettings settings = Settings(new CoapDtlsSessionMemory(), true);
        settings.Server = settings.Server with { Trust = new byte[] { 1 } };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1, "device.example");
        settings.Server = settings.Server with { Trust = new byte[] { trustsOthers ? (byte)2 : (byte)1 } };
        bench.RestartServer();
        await bench.ConnectAsync(2, "device.example");
        await bench.DriveAsync(() => bench.Server.SessionCount == 1);
        Assert.Equal((1, resumed), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
    }

    [Theory]
    [InlineData("")]
    [InlineData("another key")]
    public Task A_client_whose_key_was_removed_or_replaced_does_not_resume(string key) =>
        WithdrawnClients.AssertKeyDoesNotResumeAsync(Settings(new CoapDtlsSessionMemory(), false), key);

    [Fact]
    public Task A_certificate_that_is_refused_since_does_not_resume() =>
        WithdrawnClients.AssertCertificateDoesNotResumeAsync(Settings(new CoapDtlsSessionMemory(), true));

    [Fact]
    public async Task A_certificate_is_validated_again_with_the_intermediates_that_came_with_it()
    {
        using BenchAuthority root = new("root");
        using BenchAuthority between = new("between", root);
        using BenchAuthority stranger = new("stranger");
        using X509Certificate2 device = between.Issue(forServers: false);
        CertificateCheck clients = new() { IsOfServers = false, Authorities = [root.Certificate] };
        List<string> came = [];
        BenchSettings settings = Settings(new CoapDtlsSessionMemory(), true);
        settings.Client = settings.Client with { Certificate = device, Intermediates = [between.Certificate, stranger.Certificate] };
        settings.ServerTrusts = (leaf, sent) =>
        {
            came.Add(string.Join(' ', sent.Select(static one => one.Subject).Where(static subject => subject != "CN=device").Order()));
            return clients.Refuses(leaf, sent, null, DateTimeOffset.UnixEpoch.AddYears(60)) is null;
        };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1, "device.example");
        await bench.ConnectAsync(2, "device.example");

        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);

        // What leads to no authority is not kept.
        Assert.Equal(["CN=between CN=stranger", "CN=between"], came);
    }

    [Fact]
    public async Task An_expired_session_is_made_anew()
    {
        VirtualClock clock = new();
        CoapDtlsSessionMemory store = new(time: clock);
        using ClientBench bench = new(Settings(store, false, clock));
        await bench.ConnectAsync(1);
        clock.Advance(TimeSpan.FromHours(1));
        await bench.ConnectAsync(2);
        await bench.DriveAsync(() => bench.Server.SessionCount == 2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
    }

    [Fact]
    public async Task A_store_that_fails_costs_a_whole_handshake_only()
    {
        using ClientBench bench = new(Settings(new BrokenStore(), false));
        await bench.ConnectAsync(1);
        DtlsSession session = await bench.ConnectAsync(2);
        await bench.DriveAsync(() => bench.Server.SessionCount == 2);
        Assert.Equal((2, 0), (bench.Server.Counters.HandshakesCompleted, bench.Server.Counters.HandshakesResumed));
        await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[1]);
    }

    [Fact]
    public void Memory_is_bounded_and_overwritten()
    {
        VirtualClock clock = new();
        CoapDtlsSessionMemory store = new(2, clock);
        byte[] first = [1];
        DateTimeOffset expires = clock.GetUtcNow() + TimeSpan.FromHours(1);
        store.Add([1], first, expires);
        store.Add([2], [2], expires);
        store.Add([3], [3], expires);
        Assert.Equal((2, 0), (store.Count, first[0]));
        Assert.False(store.TryTake([1], out _));
        Assert.True(store.TryTake([2], out byte[]? second));
        Assert.Equal([2], second);
        Assert.False(store.TryTake([2], out _));
        byte[] replaced = [4];
        store.Add([3], replaced, expires);
        byte[] expiring = [5];
        store.Add([3], expiring, expires);
        Assert.Equal(0, replaced[0]);
        clock.Advance(TimeSpan.FromHours(1));
        Assert.False(store.TryTake([3], out _));
        Assert.Equal((0, 0), (store.Count, expiring[0]));
        byte[] cleared = [6];
        store.Add([6], cleared, clock.GetUtcNow() + TimeSpan.FromHours(1));
        store.Clear();
        Assert.Equal((0, 0), (store.Count, cleared[0]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new CoapDtlsSessionMemory(0));
        Assert.Equal(1_000, new CoapDtlsSessionMemory().Capacity);
    }

    private static BenchSettings Settings(ICoapDtlsSessionStore store, bool hasCertificates, TimeProvider? time = null)
    {
        BenchSettings settings = hasCertificates ? CertificateTests.MutualSettings() : BenchSettings.OfPsk();

        // Where handshakes are counted the machine may be slow.
        settings.Client = settings.Client with { RetransmitTimeout = TimeSpan.FromSeconds(30) };
        settings.Server = settings.Server with
        {
            RetransmitTimeout = TimeSpan.FromSeconds(30),
            SessionStore = store,
            ResumptionLifetime = TimeSpan.FromHours(1),
            Time = time ?? TimeProvider.System
        };
        return settings;
    }

    private sealed class BrokenStore : ICoapDtlsSessionStore
    {
        public void Add(ReadOnlySpan<byte> id, byte[] state, DateTimeOffset expires) =>
            throw new InvalidOperationException("The disk is full.");

        public bool TryTake(ReadOnlySpan<byte> id, [NotNullWhen(true)] out byte[]? state) =>
            throw new InvalidOperationException("The disk is gone.");
    }
}
