namespace CoAP.NET.Dtls.Tests.Clients;

/// <summary>Sessions that are resumed by a short handshake (RFC 5246 section 7.3).</summary>
[Rfc("7925-7-1")]
public sealed class ResumptionTests
{
    // ClientHello twice, HelloVerifyRequest, one flight, and the last one.
    private const int Short = 5;
    private const int Whole = 6;

    private const byte Warning = 1;
    private const byte Fatal = 2;
    private const byte CloseNotify = 0;
    private const byte InternalError = 80;

    private static readonly VirtualClock s_clock = new();

    [Theory]
    [InlineData(false, -1)]
    [InlineData(false, 0)]
    [InlineData(false, 4)]
    [InlineData(true, 0)]
    public async Task A_second_handshake_with_a_server_is_abbreviated(bool hasCertificates, int cidLength)
    {
        BenchSettings settings = Settings(hasCertificates);
        settings.Client = settings.Client with { OwnCidLength = cidLength };
        using ClientBench bench = new(NothingTwice(settings));
        DtlsSession first = await bench.ConnectAsync(serverName: "device.example");
        Assert.Equal(Whole, bench.Sent);
        for (int again = 1; again <= 3; again++)
        {
            // Each time from another address.
            int before = bench.Sent;
            DtlsSession session = await bench.ConnectAsync(1 + again, "device.example");
            Assert.Equal(Short, bench.Sent - before);
            Assert.Equal((first.PskIdentity, first.PeerCertificate?.Thumbprint),
                (session.PskIdentity, session.PeerCertificate?.Thumbprint));
            Assert.Equal(Math.Max(0, cidLength), session.OwnCid.Length);
            Assert.Equal(cidLength < 0 ? 0 : DtlsServer.CidLength, bench.ServerSink.Opened[again].OwnCid.Length);
            await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[again]);
        }

        Assert.Equal(1, bench.Client.Resumptions.Count);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task An_abbreviated_handshake_completes_whichever_datagram_is_lost(bool hasCertificates)
    {
        for (int lost = 1; lost <= Short; lost++)
        {
            using ClientBench bench = new(Settings(hasCertificates));
            await bench.ConnectAsync(1, "device.example");
            bench.Loses = (number, _, _) => number == Whole + lost;
            DtlsSession session = await bench.ConnectAsync(2, "device.example");
            await bench.DriveAsync(() => bench.Server.SessionCount == 2);
            bench.Loses = null;
            Assert.True(bench.ServerSink.Opened[1].OwnCid.Length > 0);
            await DtlsClientTests.ExchangeAsync(bench, session, bench.ServerSink.Opened[1]);
        }
    }

    [Fact]
    public async Task A_server_that_refuses_to_resume_gets_a_full_handshake_then_and_for_all_later_sessions()
    {
        // OpenSSL's servers do so where they ask for certificates and nobody gave their sessions a context.
        const int SessionIdLength = 13 + 12 + 2 + 32;
        BenchSettings settings = NothingTwice(Settings(false));
        settings.Sessions = settings.Sessions with { HandshakeTimeout = FromMinutes(1) };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1);
        int refused = 0;
        bench.Loses = (_, toServer, bytes) =>
        {
            if (!toServer || bytes[0] != 22 || bytes[13] != 1 || bytes[SessionIdLength] == 0)
            {
                return false;
            }

            refused++;
            bench.Client.Receive(ClientBench.Incoming(2), Convert.FromHexString("15fefd000000000000000000020250"));
            return true;
        };
        Task<DtlsSession> task = bench.BeginAsync(2);
        Assert.Equal(1, refused);
        bench.Clock.Advance(FromSeconds(29));
        bench.Client.Tick();
        Assert.False(task.IsCompleted);
        bench.Clock.Advance(FromSeconds(1));
        await bench.DriveAsync(() => task.IsCompleted);
        await DtlsClientTests.ExchangeAsync(bench, await task, bench.ServerSink.Opened[1]);
        Assert.NotNull(await bench.ConnectAsync(3));
        Assert.NotNull(await bench.ConnectAsync(4));
        Assert.Equal(1, refused);
    }

    [Fact]
    public async Task A_server_that_does_not_answer_is_not_regarded_as_refusing_to_resume()
    {
        BenchSettings settings = NothingTwice(Settings(false));
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1);
        bench.Loses = (_, _, _) => true;

        Task<DtlsSession> task = bench.BeginAsync(2);
        bench.Clock.Advance(settings.Sessions.HandshakeTimeout);
        bench.Client.Tick();

        // It does not begin a whole handshake with a server that is away.
        await Assert.ThrowsAsync<CoapDtlsException>(() => task.WaitAsync(FromMinutes(2)));
        Assert.Equal(0, bench.Client.HandshakeCount);
        bench.Loses = null;
        await bench.ConnectAsync(3);
        int before = bench.Sent;
        await bench.ConnectAsync(4);
        Assert.Equal(Short, bench.Sent - before);
    }

    [Fact]
    public async Task A_session_is_not_resumed_with_a_server_whose_certificate_is_no_longer_trusted()
    {
        bool isTrusted = true;
        BenchSettings settings = NothingTwice(Settings(true));
        PeerCertificateValidator check = settings.Sessions.Certificates!;
        settings.Sessions = settings.Sessions with
        {
            Certificates = new PeerCertificateValidator
            {
                IsOfServers = true,
                Authorities = check.Authorities,
                Decides = (_, _, errors, _) => new(isTrusted && errors == SslPolicyErrors.None),
            },
        };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1, "device.example");
        await bench.ConnectAsync(2, "device.example");
        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);

        isTrusted = false;
        CoapDtlsException failure =
            await Assert.ThrowsAsync<CoapDtlsException>(() => bench.BeginAsync(3, "device.example"));

        Assert.Equal(CoapDtlsHandshakeFailure.NotTrusted, failure.Reason);
        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);
    }

    [Theory]
    [InlineData("user", "another key")]
    [InlineData("somebody", "secretPSK")]
    [InlineData(null, "")]
    public async Task A_client_with_another_key_for_the_server_does_not_resume(string? identity, string key)
    {
        CoapPskCredential? own = new("user", BenchSettings.Key);
        BenchSettings settings = NothingTwice(Settings(false));
        settings.Sessions = settings.Sessions with { SelectPsk = (_, _) => new(own) };
        using ClientBench bench = new(settings);
        await bench.ConnectAsync(1);
        await bench.ConnectAsync(2);
        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);

        own = identity is null ? null : new CoapPskCredential(identity, Encoding.UTF8.GetBytes(key));
        using CancellationTokenSource end = new();
        Task<DtlsSession> connecting = bench.BeginAsync(3, cancellationToken: end.Token);

        Assert.False(connecting.IsCompletedSuccessfully);
        Assert.Equal(1, bench.Server.Counters.HandshakesResumed);
        await end.CancelAsync();
        await Assert.ThrowsAnyAsync<Exception>(() => connecting);
    }

    [Fact]
    public async Task A_client_stores_no_session_of_a_server_without_resumption()
    {
        using ClientBench bench = new(BenchSettings.OfPsk());
        await bench.ConnectAsync();
        Assert.Equal(0, bench.Client.Resumptions.Count);
        BenchSettings settings = Settings(false);
        settings.Sessions = settings.Sessions with { MaxResumable = 0 };
        using ClientBench without = new(settings);
        await without.ConnectAsync();
        Assert.Equal(0, without.Client.Resumptions.Count);
    }

    [Fact]
    public async Task A_session_is_resumed_only_for_its_server_name_and_within_its_lifetime()
    {
        BenchSettings settings = Settings(false);
        settings.Sessions = settings.Sessions with { ResumptionLifetime = FromHours(1) };
        using ClientBench bench = new(NothingTwice(settings));
        await bench.ConnectAsync(1, "one.example");
        int before = bench.Sent;
        await bench.ConnectAsync(2, "two.example");
        Assert.Equal(Whole, bench.Sent - before);

        // Its age is that of the whole handshake, however often it is resumed.
        bench.Clock.Advance(FromMinutes(40));
        before = bench.Sent;
        await bench.ConnectAsync(3, "one.example");
        Assert.Equal(Short, bench.Sent - before);
        bench.Clock.Advance(FromMinutes(40));
        before = bench.Sent;
        await bench.ConnectAsync(4, "one.example");
        Assert.Equal(Whole, bench.Sent - before);
    }

    [Theory]
    [InlineData(Fatal, InternalError, false)]
    [InlineData(Warning, CloseNotify, true)]
    public async Task A_session_that_ended_with_a_fatal_alert_is_not_resumed(byte level, byte description, bool isResumed)
    {
        // RFC 5246 section 7.2.2; close_notify leaves a session resumable (section 7.2.1).
        string? line = null;
        byte[]? random = null;
        BenchSettings settings = NothingTwice(Settings(false));
        settings.Client = settings.Client with { KeyLog = said => line ??= said };
        using ClientBench bench = new(settings);
        bench.Loses = (_, toServer, bytes) =>
        {
            // A ServerHello: the random stands behind the headers of record and message and the version.
            random ??= !toServer && bytes[0] == 22 && bytes[13] == 2 ? bytes[27..59] : null;
            return false;
        };
        DtlsSession session = await bench.ConnectAsync();
        Assert.Equal(1, bench.Client.Resumptions.Count);

        string[] secrets = line!.Split(' ');
        byte[] keys = KeyBlock.Derive(
            CipherSuite.All[0], Convert.FromHexString(secrets[2]), Convert.FromHexString(secrets[1]), random);
        RecordLayer server = new(CipherSuite.All[0], keys, isServer: true, [], []);
        byte[] alert = new byte[server.RecordLength(2)];
        server.SealAs(100, ContentType.Alert, [level, description], alert);
        bench.Client.Receive(ClientBench.Incoming(), alert);
        Assert.True(session.IsClosed);
        Assert.Equal(isResumed ? 1 : 0, bench.Client.Resumptions.Count);
        bench.Carry();

        int before = bench.Sent;
        await bench.ConnectAsync(2);
        Assert.Equal(isResumed ? Short : Whole, bench.Sent - before);
    }

    [Fact]
    public void A_refusal_to_resume_is_remembered_although_the_session_is_forgotten()
    {
        using ClientResumptionCache cache = new(2, FromHours(1), s_clock);
        CoapAddress remote = CoapAddress.FromIPv4(1, 2);
        byte[] failed = [1];
        cache.Put(remote, "a", Session(failed));
        cache.Forget(remote, "a");
        Assert.Equal((0, 0), (cache.Count, failed[0]));
        cache.Refuse(remote, "a");
        cache.Forget(remote, "a");
        cache.Forget(remote, "b");
        cache.Put(remote, "a", Session([2]));
        Assert.Null(cache.Take(remote, "a"));
        Assert.Equal(1, cache.Count);
    }

    [Fact]
    public void The_least_recently_used_sessions_are_evicted_and_overwritten()
    {
        using ClientResumptionCache cache = new(2, FromHours(1), s_clock);
        CoapAddress remote = CoapAddress.FromIPv4(1, 2);
        byte[] first = [1];
        cache.Put(remote, "a", Session(first));
        cache.Put(remote, "b", Session([2]));
        cache.Put(remote, "c", Session([3]));
        Assert.Equal(2, cache.Count);
        Assert.Null(cache.Take(remote, "a"));
        Assert.Equal([0], first);
        Assert.Equal([2], cache.Take(remote, "b")!.Bytes.ToArray());
        Assert.Null(cache.Take(remote, "b"));
        byte[] replaced = [4];
        cache.Put(remote, "c", Session(replaced));
        cache.Put(remote, "c", Session([5]));
        Assert.Equal([0], replaced);
        Assert.Equal(1, cache.Count);
        cache.Dispose();
        byte[] late = [6];
        cache.Put(remote, "d", Session(late));
        Assert.Equal(0, cache.Count);
        Assert.Equal([0], late);
    }

    private static ResumableSession Session(byte[] bytes) => new(bytes, s_clock.GetTimestamp(), null, null, default);

    // Where datagrams are counted the machine may be slow.
    private static BenchSettings NothingTwice(BenchSettings settings)
    {
        settings.Client = settings.Client with { RetransmitTimeout = FromSeconds(30) };
        settings.Server = settings.Server with { RetransmitTimeout = FromSeconds(30) };
        return settings;
    }

    private static BenchSettings Settings(bool hasCertificates)
    {
        BenchSettings settings = BenchSettings.OfPsk();
        if (hasCertificates)
        {
            settings = CertificateTests.MutualSettings();
            settings.Server = settings.Server with { RequiresClientCertificate = false };
        }

        settings.ServerResumes = true;
        return settings;
    }
}
