using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Dtls.Tests.Sessions;

/// <summary>Sessions that a server keeps for short handshakes (RFC 5246 section 7.3).</summary>
public sealed class ServerResumptionTests
{
    [Theory]
    [InlineData(false, 1)]
    [InlineData(true, 0)]
    public async Task A_server_with_other_trust_settings_does_not_resume_a_session_of_a_shared_store(bool trustsOthers, int resumed)
    {
        BenchSettings settings = Settings(new ServerResumptionCache(), true);
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
    [InlineData("a.example", "a.example", true)]
    [InlineData("a.example", "A.EXAMPLE", true)]
    [InlineData(null, null, true)]
    [InlineData("a.example", "b.example", false)]
    [InlineData("a.example", null, false)]
    [InlineData(null, "a.example", false)]
    public async Task A_session_is_resumed_only_under_the_name_that_its_handshake_requested(string? first, string? second, bool isResumed)
    {
        BenchSettings settings = Settings(new ServerResumptionCache(), false);
        settings.SelectsRules = true;
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1, first);

        // Our client keeps its sessions by name, but another one may not.
        ResumableSession session = bench.Client.Resumptions.Take(ClientBench.Path().Remote, first)!;
        bench.Client.Resumptions.Put(ClientBench.Path().Remote, second, session);
        await bench.ConnectAsync(2, second);
        await bench.DriveAsync(() => bench.Server.SessionCount == 2);
        Assert.Equal(isResumed ? 1 : 0, bench.Server.Counters.HandshakesResumed);
    }

    [Theory]
    [InlineData(true, 2)]
    [InlineData(false, 2)]
    [InlineData(false, 1)]
    public async Task A_message_right_after_a_resumed_handshake_is_received(bool hasConnectionId, int socket)
    {
        Queue<Action> later = new();
        ClientBench? bench = null;
        BenchSettings settings = Settings(new ServerResumptionCache(), false);
        settings.Client = settings.Client with { OwnCidLength = hasConnectionId ? 0 : -1 };

        // The server processes the last flight of the client when the message has arrived.
        settings.RunOfServer = work =>
        {
            if (bench!.Sink.Opened.Count == 2)
            {
                later.Enqueue(work);
            }
            else
            {
                work();
            }
        };
        using (bench = new ClientBench(settings))
        {
            DtlsSession first = await bench.ConnectAsync(1, "device.example");

            // The server does not learn that the client has ended it.
            bench.Loses = static (_, _, _) => true;
            first.End(DtlsSessionEndReason.Closed, tells: true);
            bench.Loses = null;
            DtlsSession session = await bench.BeginAsync(socket, "device.example");
            Assert.True(session.Send("early"u8));
            bench.Carry();
            Assert.NotEmpty(later);
            while (later.TryDequeue(out Action? work))
            {
                work();
            }

            Assert.Equal(1, bench.Server.Counters.HandshakesResumed);
            Assert.Equal("early"u8.ToArray(), Assert.Single(bench.ServerSink.Received).Content);
        }
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_message_in_the_datagram_that_ends_a_resumed_handshake_is_received(bool hasConnectionId)
    {
        BenchSettings settings = Settings(new ServerResumptionCache(), false);
        settings.Client = settings.Client with { OwnCidLength = hasConnectionId ? 0 : -1 };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1, "device.example");
        DtlsPath path = bench.ServerSink.Opened.Single().Path;
        List<byte> last = [];
        bench.Loses = (_, isOfClient, datagram) =>
        {
            bool isKept = isOfClient && datagram[0] != (byte)ContentType.Handshake;
            last.AddRange(isKept ? datagram : []);
            return isKept;
        };
        bench.Sink.Opened.Single().End(DtlsSessionEndReason.Closed, tells: true);
        last.Clear();
        DtlsSession session = await bench.BeginAsync(1, "device.example");
        Assert.True(session.Send("early"u8));
        Assert.True(bench.Server.Receive(path, last.ToArray()));
        Assert.Equal((1, 0), (bench.Server.Counters.HandshakesResumed, bench.Server.Counters.RecordsReplayed));
        Assert.Equal("early"u8.ToArray(), Assert.Single(bench.ServerSink.Received).Content);
    }

    [Theory]
    [InlineData("")]
    [InlineData("another key")]
    public Task A_client_whose_key_was_removed_or_replaced_cannot_resume(string key) =>
        WithdrawnClients.AssertKeyDoesNotResumeAsync(Settings(new ServerResumptionCache(), false), key);

    [Fact]
    public Task A_client_whose_certificate_is_refused_since_then_cannot_resume() =>
        WithdrawnClients.AssertCertificateDoesNotResumeAsync(Settings(new ServerResumptionCache(), true));

    [Fact]
    public async Task A_certificate_is_validated_again_at_resumption_with_its_original_intermediates()
    {
        using BenchAuthority root = new("root");
        using BenchAuthority between = new("between", root);
        using BenchAuthority stranger = new("stranger");
        using X509Certificate2 device = between.Issue(forServers: false);
        PeerCertificateValidator clients = new() { IsOfServers = false, Authorities = [root.Certificate] };
        List<string> came = [];
        BenchSettings settings = Settings(new ServerResumptionCache(), true);
        settings.Client = settings.Client with { Certificate = device, Intermediates = [between.Certificate, stranger.Certificate] };
        settings.ServerTrusts = async (leaf, sent, token) =>
        {
            came.Add(string.Join(' ', sent.Select(one => one.Subject).Where(subject => subject != "CN=device").Order()));
            return await clients.RefusesAsync(leaf, sent, null, DateTimeOffset.UnixEpoch.AddYears(60), token) is null;
        };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1, "device.example");
        await bench.ConnectAsync(2, "device.example");

        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);

        // What leads to no authority is not kept.
        Assert.Equal(["CN=between CN=stranger", "CN=between"], came);
    }

    [Fact]
    public void The_resumption_memory_is_limited_and_overwritten()
    {
        VirtualClock clock = new();
        ServerResumptionCache store = new(2, clock);
        byte[] first = [1];
        DateTimeOffset expires = clock.GetUtcNow() + FromHours(1);
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
        clock.Advance(FromHours(1));
        Assert.False(store.TryTake([3], out _));
        Assert.Equal((0, 0), (store.Count, expiring[0]));
        byte[] cleared = [6];
        store.Add([6], cleared, clock.GetUtcNow() + FromHours(1));
        store.Clear();
        Assert.Equal((0, 0), (store.Count, cleared[0]));
        Assert.Throws<ArgumentOutOfRangeException>(() => new ServerResumptionCache(0));
        Assert.Equal(1_000, new ServerResumptionCache().Capacity);
    }

    private static BenchSettings Settings(IServerResumptionCache store, bool hasCertificates, TimeProvider? time = null)
    {
        BenchSettings settings = hasCertificates ? CertificateTests.MutualSettings() : BenchSettings.OfPsk();

        // Where handshakes are counted the machine may be slow.
        settings.Client = settings.Client with { RetransmitTimeout = FromSeconds(30) };
        settings.Server = settings.Server with
        {
            RetransmitTimeout = FromSeconds(30),
            SessionStore = store,
            ResumptionLifetime = FromHours(1),
            Time = time ?? TimeProvider.System
        };
        return settings;
    }

    private sealed class BrokenStore : IServerResumptionCache
    {
        public void Add(ReadOnlySpan<byte> id, byte[] state, DateTimeOffset expires) =>
            throw new InvalidOperationException("The disk is full.");

        public bool TryTake(ReadOnlySpan<byte> id, [NotNullWhen(true)] out byte[]? state) =>
            throw new InvalidOperationException("The disk is gone.");
    }
}
