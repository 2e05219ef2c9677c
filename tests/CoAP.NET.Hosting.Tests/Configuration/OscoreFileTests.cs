using CoAP.NET.Diagnostics;
using CoAP.NET.Oscore.Telemetry;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Configuration;

/// <summary>Security contexts of files: from start to start, and while the server runs.</summary>
/// <remarks>Real clock: the operating system reports that a file has changed.</remarks>
public sealed class OscoreFileTests : FolderHostTest
{
    private const int TakenId = 1808;
    private const int NotTakenId = 1809;
    private const string Secret = "0102030405060708090a0b0c0d0e0f10";
    private const string OtherSecret = "ffeeddccbbaa99887766554433221100";

    private readonly TickingTime _time = new();

    private string ServerFile => Path.Combine(Folder, "devices.json");

    private string ClientFile => Path.Combine(Folder, "door.json");

    private string Store => Path.Combine(Folder, "numbers");

    [Fact]
    public async Task Contexts_from_files_protect_both_directions_and_sequence_numbers_continue_after_a_restart()
    {
        WriteServer(("02", Secret));
        WriteClient("02", Secret);
        for (int run = 0; run < 2; run++)
        {
            IHost host = await StartServerAsync(("Coap:Server:Oscore:Store", Store));
            IHost other = await StartClientAsync(AddressOf(host));

            Assert.Equal("oscore:02", await AskAsync(other));
            Assert.Equal("oscore:02", await AskAsync(other));

            OscoreCounters counters = host.Services.GetRequiredService<OscoreContexts>().GetCounters();

            // An orderly end: neither a replay nor a challenge in the second run.
            Assert.Equal((2, 0, 0), (counters.MessagesVerified, counters.Replays, counters.Challenges));
            await host.StopAsync();
            await ((IAsyncDisposable)other).DisposeAsync();
        }

        Assert.Single(Directory.GetFiles(Store, "*.json"));
        Assert.False(Directory.Exists(ServerFile + ".state"));
        Assert.True(Directory.Exists(ClientFile + ".state"));
    }

    [Fact]
    public async Task Contexts_of_a_changed_file_are_accepted_and_removed_contexts_are_refused()
    {
        WriteServer(("02", Secret));
        IHost host = await StartServerAsync();
        WriteClient("02", Secret);
        IHost early = await StartClientAsync(AddressOf(host));
        Assert.Equal("oscore:02", await AskAsync(early));

        WriteServer(("0304", OtherSecret));
        _time.Tick();
        Assert.Equal(0, Count(TakenId)); // whoever writes may not be done
        _time.Tick();
        await Eventually.IsTrueAsync(() => Count(TakenId) == 1);

        await Assert.ThrowsAsync<CoapUnprotectedResponseException>(() => AskAsync(early));
        await ((IAsyncDisposable)early).DisposeAsync();
        WriteClient("0304", OtherSecret);
        Assert.Equal("oscore:0304", await AskAsync(await StartClientAsync(AddressOf(host))));
    }

    [Theory]
    [InlineData("{ \"contexts\": [ { \"masterSecret\": \"0x" + OtherSecret + "\" } ] }", "senderId")]
    [InlineData("[]", "object")]
    [InlineData(null, "")]
    [InlineData("pipe", "not a regular file")]
    [InlineData("endless device", "not a regular file")]
    [InlineData("directory", "settings.json")]
    public async Task An_invalid_file_keeps_the_previous_contexts_and_is_logged_once(string? text, string place)
    {
        bool isSpecial = text is not null && SpecialFile.Kinds.Contains(text);
        Assert.SkipWhen(isSpecial && OperatingSystem.IsWindows(), "needs pipes with names");
        WriteServer(("02", Secret));
        WriteClient("02", Secret);
        IHost host = await StartServerAsync();
        IHost client = await StartClientAsync(AddressOf(host));
        if (text is null)
        {
            File.Delete(ServerFile);
        }
        else if (isSpecial)
        {
            SpecialFile.Put(ServerFile, text);
        }
        else
        {
            File.WriteAllText(ServerFile, text);
        }

        for (int i = 0; i < 5; i++)
        {
            _time.Tick();
        }

        await Eventually.IsTrueAsync(() => Count(NotTakenId) > 0);
        _time.Tick();

        (LogLevel level, _, string told) = Assert.Single(Logged.Entries, entry => entry.Id == NotTakenId);
        Assert.Equal(LogLevel.Error, level);
        told.Mentions(ServerFile);
        told.Mentions(place);
        Assert.DoesNotContain(OtherSecret, told, StringComparison.OrdinalIgnoreCase);
        Assert.Equal(1, host.Services.GetRequiredService<CoapServer>().Counters[CoapCounter.CredentialsNotReloaded]);
        Assert.Equal("oscore:02", await AskAsync(client));
    }

    [Fact]
    public async Task Two_files_with_indistinguishable_contexts_are_refused_at_the_start()
    {
        WriteServer(("02", Secret));
        string twin = Path.Combine(Folder, "twin.json");
        File.WriteAllText(twin, Context("01", "02", OtherSecret));

        CoapException refused = await Assert.ThrowsAsync<CoapException>(
            () => StartServerAsync(("Coap:Server:Oscore:Files:1", twin)));

        refused.Mentions("Coap:Server:Oscore");
        refused.Mentions("kid 02");
    }

    [Fact]
    public async Task Sequence_numbers_in_use_by_another_server_are_an_error_at_the_start()
    {
        WriteServer(("02", Secret));
        IHost first = await StartServerAsync(("Coap:Server:Oscore:Store", Store));

        CoapException refused = await Assert.ThrowsAsync<CoapException>(() => StartServerAsync(("Coap:Server:Oscore:Store", Store)));
        Assert.Equal(OscoreStoreFault.InUse, Assert.IsType<OscoreStoreException>(refused.InnerException).Fault);

        await first.StopAsync();
        await StartServerAsync(("Coap:Server:Oscore:Store", Store));
    }

    [Fact]
    public async Task All_errors_in_context_files_are_reported_before_the_application_starts()
    {
        File.WriteAllText(ServerFile, "{ \"masterSecret\": \"0x" + Secret + "\" }");
        File.WriteAllText(ClientFile, $"{{ \"contexts\": [ {Context("02", "01", Secret)}, {Context("03", "01", OtherSecret)} ] }}");
        HostApplicationBuilder builder = Builder(
            ("Coap:Server:Oscore:Files:0", ServerFile), ("Coap:Server:Oscore:Files:1", Path.Combine(Folder, "nowhere")),
            ("Coap:Client:Oscore:File", ClientFile), ("Coap:Clients:other:Oscore:Uri", "coap://door.example"));
        builder.Services.AddCoapServer().UseOscore();
        builder.Services.AddCoapClient().UseOscore();
        builder.Services.AddCoapClient("other").UseOscore();

        string[] problems = await StartFailuresAsync(builder);

        Assert.Equal(
            ["Coap:Client:Oscore:File = ", "Coap:Client:Oscore:File is set, but there is no server",
                "Coap:Clients:other:Oscore:Uri is set, but",
                "Coap:Server:Oscore:Files:0: ", "Coap:Server:Oscore:Files:1 = "],
            problems.Order(StringComparer.Ordinal).Select(problem => s_beginnings.Single(
                beginning => problem.StartsWith(beginning, Ordinal))));
        Assert.All(problems, problem => Assert.DoesNotContain(Secret, problem, StringComparison.OrdinalIgnoreCase));
    }

    [Fact]
    public async Task A_resolver_from_the_container_finds_contexts_that_no_file_has()
    {
        HostApplicationBuilder builder = Builder(("Coap:Server:Endpoints", "coap://127.0.0.1:0"));
        builder.Services.AddSingleton<Devices>();
        ICoapServerBuilder server = builder.Services.AddCoapServer().UseOscore(
            services => services.GetRequiredService<Devices>());
        server.MapGet("/who", request => $"{request.Peer.Identity}").RequireOscore();
        IHost host = await StartAsync(builder);
        WriteClient("02", Secret);

        Assert.Equal("oscore:02", await AskAsync(await StartClientAsync(AddressOf(host))));
        Assert.Equal(1, host.Services.GetRequiredService<OscoreContexts>().GetCounters().ContextsFound);
    }

    private static readonly string[] s_beginnings =
    [
        "Coap:Client:Oscore:File = ", "Coap:Client:Oscore:File is set, but there is no server", "Coap:Clients:other:Oscore:Uri is set, but",
        "Coap:Server:Oscore:Files:0: ", "Coap:Server:Oscore:Files:1 = ",
    ];

    private static string Context(string sender, string recipient, string secret) =>
        $"{{ \"masterSecret\": \"0x{secret}\", \"senderId\": \"0x{sender}\", \"recipientId\": \"0x{recipient}\" }}";

    private static async Task<string> AskAsync(IHost host) =>
        (await Within(host.Services.GetRequiredService<ICoapClient>().GetAsync("/who"))).EnsureSuccess().GetText();

    private void WriteServer(params (string Client, string Secret)[] contexts) => File.WriteAllText(
        ServerFile, $"{{ \"contexts\": [ {string.Join(", ", contexts.Select(one => Context("01", one.Client, one.Secret)))} ] }}");

    private void WriteClient(string id, string secret) => File.WriteAllText(ClientFile, Context(id, "01", secret));

    private async Task<IHost> StartServerAsync(params (string Key, string? Value)[] settings)
    {
        HostApplicationBuilder builder = Builder(
            [("Coap:Server:Endpoints", "coap://127.0.0.1:0"), ("Coap:Server:Oscore:Files:0", ServerFile), .. settings]);
        builder.Services.AddCoapServer(options => options.Endpoint.TimeProvider = _time).UseOscore()
            .MapGet("/who", request => $"{request.Peer.Identity}").RequireOscore();
        return await StartAsync(builder);
    }

    private async Task<IHost> StartClientAsync(string address)
    {
        HostApplicationBuilder builder = Builder(("Coap:Client:BaseAddress", address), ("Coap:Client:Oscore:File", ClientFile));
        builder.Services.AddCoapClient().UseOscore();
        return await StartAsync(builder);
    }

    private sealed class Devices : IOscoreContextResolver
    {
        public ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken) =>
            new(OscoreContext.CreateVolatile(new OscoreParameters(Convert.FromHexString(Secret), [1], kid.Span)));
    }
}
