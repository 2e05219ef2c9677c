using CoAP.NET.Diagnostics;
using CoAP.NET.Dtls.Tests.Options;

namespace CoAP.NET.Dtls.Tests.Transport;

public sealed class RestartTests : IDisposable
{
    private static readonly byte[] s_key = [.. Enumerable.Range(0, 32).Select(i => (byte)i)];

    private readonly TemporaryFiles _files = new();

    public void Dispose() => _files.Dispose();

    [Fact]
    public async Task A_session_continues_across_a_restart_of_the_server()
    {
        int attempts = 0;
        await Eventually.BindsAgainAsync(() => RestartAsync(_files.Name($"sessions{++attempts}")));
    }

    private static async Task RestartAsync(string path)
    {
        SecureEndpoints first = await new SecureEndpoints(options => options.SessionFile = new CoapDtlsServerSessionFile(path, s_key))
            .StartAsync();
        CoapClient client = first.Client();
        await client.GetAsync($"{first.Host}/hello");
        int port = first.Endpoint.Port;
        await first.Server.DisposeAsync();
        Assert.True(File.Exists(path));

        await using SecureEndpoints second =
            await new SecureEndpoints(options => options.SessionFile = new CoapDtlsServerSessionFile(path, s_key), port: port).StartAsync();
        Assert.False(File.Exists(path));
        CoapResponse response = await client.GetAsync($"{second.Host}/who");

        Assert.Equal(SecureEndpoints.Identity, response.GetText());
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.RequestsRepeated]);
        Assert.Single(second.Server.Endpoint.ConnectedPeers);
        await first.DisposeAsync();
    }

    [Fact]
    public async Task A_session_does_not_survive_a_restart_when_its_certificate_is_refused_since_then()
    {
        using BenchAuthority root = new("root");
        using BenchAuthority between = new("between", root);
        using X509Certificate2 server = root.Issue(address: IPAddress.Loopback);
        using X509Certificate2 device = between.Issue(forServers: false);
        foreach (bool isRevoked in (bool[])[false, true])
        {
            await Eventually.BindsAgainAsync(() => RestartWithoutAsync(
                options => Configure(options, false),
                options => Configure(options, isRevoked),
                dtls => dtls.Client = new CoapDtlsClientOptions
                {
                    Certificate = device,
                    Intermediates = { between.Certificate },
                    TrustedAuthorities = { root.Certificate },
                },
                isRefused: isRevoked));
        }

        void Configure(CoapDtlsServerOptions options, bool isRevoked)
        {
            options.PskStore = null;
            options.Certificate = server;
            options.RequireClientCertificate = true;
            options.TrustedAuthorities.Add(root.Certificate);
            options.ValidateClientCertificate = (certificate, chain, errors, _) =>
                new(errors == SslPolicyErrors.None && chain.ChainElements.Count == 3
                    && !(isRevoked && certificate.Subject == device.Subject));
        }
    }

    private async Task RestartWithoutAsync(
        Action<CoapDtlsServerOptions> before, Action<CoapDtlsServerOptions> after, Action<CoapDtlsOptions> ofClient, bool isRefused = true)
    {
        string path = _files.Name($"sessions{Guid.NewGuid():N}");
        SecureEndpoints first = await new SecureEndpoints(options =>
        {
            options.SessionFile = new CoapDtlsServerSessionFile(path, s_key);
            before(options);
        }).StartAsync();
        CoapClient client = first.Client(configure: ofClient);
        await client.GetAsync($"{first.Host}/hello");
        int port = first.Endpoint.Port;
        await first.Server.DisposeAsync();

        await using SecureEndpoints second = await new SecureEndpoints(
            options =>
            {
                options.SessionFile = new CoapDtlsServerSessionFile(path, s_key);
                after(options);
            },
            port: port).StartAsync();
        if (isRefused)
        {
            await Assert.ThrowsAsync<CoapConnectionException>(() => client.GetAsync($"{second.Host}/hello"));
            Assert.Equal(1, second.Transport.Engine!.Server!.Counters.SessionsEnded(DtlsSessionEndReason.Withdrawn));
        }
        else
        {
            await client.GetAsync($"{second.Host}/hello").Says("hello");
            Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        }

        await first.DisposeAsync();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task A_session_continues_across_a_crash_of_the_server(bool withCid) =>
        Eventually.BindsAgainAsync(() => CrashAsync(withCid));

    private static async Task CrashAsync(bool withCid)
    {
        MemorySessionBackup backup = new();
        SecureEndpoints first =
            await new SecureEndpoints(options => options.SessionBackup = backup.Options(), useCids: withCid).StartAsync();
        CoapClient client = first.Client();
        for (int i = 0; i < 3; i++)
        {
            await client.GetAsync($"{first.Host}/hello");
        }

        MemorySessionBackup left = await first.CrashAsync(backup);

        await using SecureEndpoints second = await new SecureEndpoints(
            options => options.SessionBackup = left.Options(), port: first.Port, useCids: withCid).StartAsync();
        CoapResponse response = await client.GetAsync($"{second.Host}/who");

        Assert.Equal(SecureEndpoints.Identity, response.GetText());
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        Assert.Equal(0, client.Endpoint.Counters[CoapCounter.RequestsRepeated]);
        Assert.Equal(0, second.Transport.Engine!.Server!.Counters.HandshakesStarted);
        await first.DisposeAsync();
    }

    [Fact]
    public Task A_request_with_side_effects_after_a_crash_is_executed_once() => Eventually.BindsAgainAsync(AskAfterCrashAsync);

    private static async Task AskAfterCrashAsync()
    {
        MemorySessionBackup backup = new();
        SecureEndpoints first = await new SecureEndpoints(options => options.SessionBackup = backup.Options()).StartAsync();
        CoapClient client = first.Client();
        await client.GetAsync($"{first.Host}/hello");
        MemorySessionBackup left = await first.CrashAsync(backup);

        await using SecureEndpoints second =
            await new SecureEndpoints(options => options.SessionBackup = left.Options(), port: first.Port).StartAsync();
        int count = 0;
        second.Server.MapPost("/count", () => CoapResults.Text($"{Interlocked.Increment(ref count)}"));
        CoapResponse response = await client.PostAsync($"{second.Host}/count", CoapContent.Text("one"));

        Assert.Equal("1", response.GetText());
        await client.PostAsync($"{second.Host}/count", CoapContent.Text("two")).Says("2");
        Assert.Equal(1, client.Endpoint.Counters[CoapCounter.ConnectionsOpened]);
        Assert.InRange(second.Server.Endpoint.Counters[CoapCounter.RequestsInDoubt], 1, 5);
        await first.DisposeAsync();
    }

    [Fact]
    public async Task A_restored_session_has_the_time_of_its_last_message_and_not_of_its_loading()
    {
        TimeSpan later = FromHours(3);
        MemorySessionBackup backup = new();
        await using SecureEndpoints first =
            await new SecureEndpoints(options => options.SessionBackup = backup.Options()).StartAsync();
        DateTimeOffset began = TimeProvider.System.GetUtcNow();
        await first.Client().GetAsync($"{first.Host}/hello");
        MemorySessionBackup left = await first.CrashAsync(backup);
        DateTimeOffset crashed = TimeProvider.System.GetUtcNow();

        await using SecureEndpoints second = await new SecureEndpoints(options => options.SessionBackup = left.Options(),
            options => options.TimeProvider = new ShiftedDate(later)).StartAsync();
        CoapPeer peer = Assert.Single(second.Server.Endpoint.ConnectedPeers);

        // Two clocks tell it.
        Assert.InRange(peer.LastSeen, began.AddMinutes(-1), crashed.AddMinutes(1));
    }

    [Fact]
    public async Task A_failing_session_store_loses_the_sessions_but_does_not_stop_the_server()
    {
        MemorySessionBackup backup = new() { BeforeSaving = _ => throw new IOException("The store is away.") };
        await using SecureEndpoints secure = await new SecureEndpoints(options => options.SessionBackup = backup.Options()).StartAsync();
        await secure.Client().GetAsync($"{secure.Host}/hello").Says("hello");
        await secure.Server.DisposeAsync();
        Assert.True(backup.HasStopped);
        Assert.Empty(backup.States);
        Assert.NotEqual(0, secure.Server.Endpoint.Counters[CoapCounter.SessionBackupFailures]);
    }

    [Fact]
    public async Task A_session_file_of_another_key_is_ignored_and_the_server_starts()
    {
        string path = _files.Name("sessions");
        SecureEndpoints first = await new SecureEndpoints(options => options.SessionFile = new CoapDtlsServerSessionFile(path, s_key))
            .StartAsync();
        await first.Client().GetAsync($"{first.Host}/hello");
        await first.DisposeAsync();

        await using SecureEndpoints second =
            await new SecureEndpoints(options => options.SessionFile = new CoapDtlsServerSessionFile(path, new byte[16])).StartAsync();

        Assert.Empty(second.Server.Endpoint.ConnectedPeers);
        await second.Client().GetAsync($"{second.Host}/hello").Says("hello");
    }

    [Fact]
    public async Task A_server_without_sessions_writes_no_session_file()
    {
        string path = _files.Name("sessions");
        await (await new SecureEndpoints(options => options.SessionFile = new CoapDtlsServerSessionFile(path, s_key)).StartAsync())
            .DisposeAsync();
        Assert.False(File.Exists(path));
    }

    [Fact]
    public void A_session_file_is_loaded_by_a_single_process_when_several_take_it_over()
    {
        for (int round = 0; round < 200; round++)
        {
            string path = _files.Name("sessions");
            File.WriteAllBytes(path, s_key);
            int taken = 0;
            int late = 0;
            Parallel.For(0, 4, _ =>
            {
                try
                {
                    Assert.Equal(s_key, CoapDtlsServerSessionFile.Take(path));
                    Interlocked.Increment(ref taken);
                }
                catch (FileNotFoundException)
                {
                    Interlocked.Increment(ref late);
                }
            });
            Assert.Equal((1, 3), (taken, late));
            Assert.Empty(Directory.GetFiles(Path.GetDirectoryName(path)!, Path.GetFileName(path) + "*"));
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(15)]
    [InlineData(33)]
    public void A_key_of_a_wrong_length_is_refused(int length) =>
        Assert.Contains("16, 24 or 32",
            Assert.Throws<ArgumentException>(() => new CoapDtlsServerSessionFile("sessions", new byte[length])).Message,
            Ordinal);

    [Fact]
    [Rfc("7925-7-1")]
    public async Task A_returning_client_resumes_with_an_abbreviated_handshake()
    {
        ServerResumptionCache memory = new();
        await using SecureEndpoints secure = await new SecureEndpoints(options => options.ResumableIn = memory).StartAsync();
        CoapClient client = secure.Client();
        await client.GetAsync($"{secure.Host}/hello");
        await client.Endpoint.ConnectedPeers[0].ReleaseAsync();

        CoapResponse response = await client.GetAsync($"{secure.Host}/who");

        Assert.Equal(SecureEndpoints.Identity, response.GetText());
        Assert.Equal(1, secure.Transport.Engine!.Server!.Counters.HandshakesResumed);
        Assert.Equal(1, memory.Count);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(10, 1)]
    public async Task A_server_stores_as_many_resumable_sessions_as_configured(int max, int resumed)
    {
        await using SecureEndpoints secure = await new SecureEndpoints(options => options.MaxResumableSessions = max).StartAsync();
        CoapClient client = secure.Client();
        await client.GetAsync($"{secure.Host}/hello");
        await client.Endpoint.ConnectedPeers[0].ReleaseAsync();
        await client.GetAsync($"{secure.Host}/who");

        Assert.Equal(resumed, secure.Transport.Engine!.Server!.Counters.HandshakesResumed);
    }
}
