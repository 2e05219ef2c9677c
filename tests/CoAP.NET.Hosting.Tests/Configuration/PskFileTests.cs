using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>A file of pre-shared keys that changes while the server runs.</summary>
public sealed class PskFileTests : FolderHostTest
{
    private const int TakenId = 1806;
    private const int NotTakenId = 1807;
    private const string Secret = "sesame";

    private readonly TickingTime _time = new();

    public static TheoryData<string> Special => [.. SpecialFile.Kinds];

    private string File1 => Path.Combine(Folder, "devices.psk");

    [Fact]
    public async Task Keys_of_a_changed_file_are_accepted_and_open_sessions_stay()
    {
        Write("meter-1:first\n");
        IHost host = await StartAsync();
        await using CoapClient early = Client("meter-1", "first");
        Assert.Equal("meter-1", await AskAsync(host, early));

        Write("meter-1:second key\nmeter-2:other\n");
        _time.Tick();
        Assert.Equal(0, Count(TakenId)); // whoever writes may not be done
        _time.Tick();

        Assert.Equal(1, Count(TakenId));
        Assert.Equal("meter-1", await AskAsync(host, early));
        Assert.Equal("meter-2", await AskAsync(host, Client("meter-2", "other")));
        Assert.Equal("meter-1", await AskAsync(host, Client("meter-1", "second key")));
        await IsRefusedAsync(AddressOf(host), "meter-1", "first");
        Assert.Equal("own", await AskAsync(host, Client("own", "of configuration")));
        _time.Tick();
        Assert.Equal(1, Count(TakenId));
    }

    [Fact]
    public async Task The_session_of_a_removed_key_ends()
    {
        Write("meter-1:first\nmeter-2:other\n");
        IHost host = await StartAsync();
        CoapServer server = host.Services.GetRequiredService<CoapServer>();
        await using CoapClient removed = Client("meter-1", "first");
        await using CoapClient stays = Client("meter-2", "other");
        await using CoapClient own = Client("own", "of configuration");
        Assert.Equal("meter-1", await AskAsync(host, removed));
        Assert.Equal("meter-2", await AskAsync(host, stays));
        Assert.Equal("own", await AskAsync(host, own));

        Write("meter-2:other\n");
        _time.Tick();
        _time.Tick();

        Assert.Contains(Logged.Entries, entry => entry.Id == TakenId
            && entry.Text.Contains("1 sessions ended because their keys were removed", Ordinal));
        Assert.Equal(["meter-2", "own"], server.Endpoint.ConnectedPeers
            .Select(peer => ((CoapDtlsPeerIdentity)peer.Identity!).PskIdentity).Order(StringComparer.Ordinal));
        await IsRefusedAsync(AddressOf(host), "meter-1", "first");
    }

    [Theory]
    [MemberData(nameof(Special))]
    public async Task Anything_but_a_file_keeps_the_previous_keys_until_the_right_file_is_there(string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs pipes with names");
        Write("meter-1:first\n");
        IHost host = await StartAsync();
        SpecialFile.Put(File1, kind);
        for (int i = 0; i < 5; i++)
        {
            _time.Tick();
        }

        (LogLevel level, _, string told) = Assert.Single(Logged.Entries, entry => entry.Id == NotTakenId);
        Assert.Equal(LogLevel.Error, level);
        told.Mentions(File1);
        told.Mentions("not a regular file");
        Assert.Equal("meter-1", await AskAsync(host, Client("meter-1", "first")));

        Replace("meter-1:second key\n");
        _time.Tick();
        _time.Tick();
        Assert.Equal(1, Count(TakenId));
        Assert.Equal("meter-1", await AskAsync(host, Client("meter-1", "second key")));
        await IsRefusedAsync(AddressOf(host), "meter-1", "first");
    }

    [Theory]
    [MemberData(nameof(Special))]
    public async Task A_server_with_anything_but_a_file_of_keys_does_not_start(string kind)
    {
        Assert.SkipWhen(OperatingSystem.IsWindows(), "needs pipes with names");
        SpecialFile.Put(File1, kind);
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coaps://127.0.0.1:0"), ("Coap:Server:Dtls:PskFile", File1));
        builder.Services.AddCoapServer().UseDtls();

        string failure = Assert.Single(await StartFailuresAsync(builder));
        failure.Begins($"Coap:Server:Dtls:PskFile = '{File1}'");
        failure.Mentions(kind == "directory" ? "there is no file" : "not a regular file");
    }

    [Fact]
    public void A_file_of_keys_above_the_limit_is_refused_without_being_read()
    {
        using (FileStream file = File.Create(File1))
        {
            file.SetLength(1L << 40);
        }

        long before = GC.GetAllocatedBytesForCurrentThread();
        CoapCredentialException refused = Assert.Throws<CoapCredentialException>(() => CoapPskDictionary.FromFile(File1));
        refused.Mentions("268,435,456");
        Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 1 << 20);
    }

    [Theory]
    [InlineData("meter-2:good\n" + Secret + "\n", "line 2")]
    [InlineData("meter-2:0x" + Secret + "\n", "line 1")]
    [InlineData("own:" + Secret + "\n", "'own'")]
    [InlineData(null, "")]
    public async Task An_invalid_key_file_keeps_the_previous_keys_and_is_logged_once(string? text, string place)
    {
        Write("meter-1:first\n");
        IHost host = await StartAsync();
        CoapServer server = host.Services.GetRequiredService<CoapServer>();
        if (text is null)
        {
            File.Delete(File1);
        }
        else
        {
            Write(text);
        }

        for (int i = 0; i < 5; i++)
        {
            _time.Tick();
        }

        (LogLevel level, _, string told) = Assert.Single(Logged.Entries, entry => entry.Id == NotTakenId);
        Assert.Equal(LogLevel.Error, level);
        told.Mentions(File1);
        told.Mentions(place);
        told.Omits(Secret);
        Assert.Equal(1, server.Counters[CoapCounter.CredentialsNotReloaded]);
        Assert.Equal("meter-1", await AskAsync(host, Client("meter-1", "first")));

        Write("meter-3:again good\n");
        _time.Tick();
        _time.Tick();
        Assert.Equal("meter-3", await AskAsync(host, Client("meter-3", "again good")));
        Assert.Equal(1, server.Counters[CoapCounter.CredentialsNotReloaded]);
    }

    [Fact]
    public async Task A_symbolic_link_that_points_to_another_file_is_a_change()
    {
        string[] versions = [Path.Combine(Folder, "1"), Path.Combine(Folder, "2")];
        File.WriteAllText(versions[0], "meter-1:first\n");
        File.WriteAllText(versions[1], "meter-2:other one\n");
        File.CreateSymbolicLink(File1, versions[0]);
        IHost host = await StartAsync();

        File.CreateSymbolicLink(File1 + ".new", versions[1]);
        File.Move(File1 + ".new", File1, overwrite: true);
        _time.Tick();
        _time.Tick();

        Assert.Equal("meter-2", await AskAsync(host, Client("meter-2", "other one")));
    }

    [Fact]
    public async Task The_key_file_is_no_longer_watched_after_the_server_has_stopped()
    {
        Write("meter-1:first\n");
        IHost host = await StartAsync();
        Assert.Equal(1, _time.Timers);
        await host.StopAsync();
        Assert.Equal(0, _time.Timers);
    }

    [Fact]
    public async Task A_server_without_a_host_uses_the_keys_of_its_changed_file_until_it_ends()
    {
        Write("meter-1:first\n");
        CoapServer server = new(options => (options.TimeProvider, options.LoggerFactory) = (_time, Logged));
        await using (server)
        {
            server.ListenSecure("coaps://127.0.0.1:0", keys => keys.UsePskFile(File1));
            server.MapGet("/who", request => ((CoapDtlsPeerIdentity)request.Peer.Identity!).PskIdentity!);
            await server.StartAsync();
            await Eventually.IsTrueAsync(() => _time.Timers == 1);
            await using CoapClient removed = Client("meter-1", "first");
            await removed.GetAsync($"{server.LocalEndpoints[0]}who").Says("meter-1");

            Write("meter-2:second key\n");
            _time.Tick();
            _time.Tick();

            Assert.Equal(1, Count(TakenId));
            Assert.Empty(server.Endpoint.ConnectedPeers);
            await using CoapClient added = Client("meter-2", "second key");
            await added.GetAsync($"{server.LocalEndpoints[0]}who").Says("meter-2");

            Write("meter-2 " + Secret + "\n");
            _time.Tick();
            _time.Tick();

            (_, _, string told) = Assert.Single(Logged.Entries, entry => entry.Id == NotTakenId);
            told.Begins("The CoAP server keeps its pre-shared keys");
            told.Omits(Secret);
        }

        await Eventually.IsTrueAsync(() => _time.Timers == 0);
    }

    // Files that are written within one tick of the clock of a file system, and are as long as before, look the same.
    private void Write(string text) => File.WriteAllText(File1, text);

    private void Replace(string text)
    {
        File.WriteAllText(File1 + ".new", text);
        if (Directory.Exists(File1))
        {
            Directory.Delete(File1);
        }

        File.Move(File1 + ".new", File1, overwrite: true);
    }

    private async Task<IHost> StartAsync()
    {
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Endpoints", "coaps://127.0.0.1:0"), ("Coap:Server:Dtls:PskFile", File1),
            ("Coap:Server:Dtls:Psk:own", "of configuration"));
        ICoapServerBuilder server = builder.Services.AddCoapServer(options => options.Endpoint.TimeProvider = _time).UseDtls();
        server.MapGet("/who", request => ((CoapDtlsPeerIdentity)request.Peer.Identity!).PskIdentity!);
        return await StartAsync(builder);
    }

    // The server answers no wrong key, so that the client gives up by itself. On a busy machine it does so too.
    private static async Task IsRefusedAsync(string address, string identity, string key)
    {
        await using CoapClient client = Client(identity, key, FromSeconds(1));
        await Assert.ThrowsAsync<CoapConnectionException>(() => Within(client.GetAsync(address + "/who")));
    }

    private static CoapClient Client(string identity, string key, TimeSpan? patience = null)
    {
        CoapDtlsOptions dtls = new()
        {
            Client = new CoapDtlsClientOptions { Psk = new CoapPskCredential(identity, Encoding.UTF8.GetBytes(key)) },
            RetransmitTimeout = FromMilliseconds(200),
            HandshakeTimeout = patience ?? FromMinutes(1),
        };
        return new CoapClient(new CoapEndpointOptions().UseDtls(dtls));
    }

    private static async Task<string> AskAsync(IHost host, CoapClient client) =>
        (await Within(client.GetAsync(AddressOf(host) + "/who"))).EnsureSuccess().GetText();
}
