using System.Net;
using System.Text.Json;
using CoAP.NET.Dtls;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>Projects of the templates, as users make them: they build without a warning, run, and are asked.</summary>
[Collection(PackedFeedCollection.Name)]
[External("dotnet")]
public sealed class TemplateTests(PackedFeed feed, TemplateProjects projects) : IClassFixture<TemplateProjects>
{
    [Fact]
    public async Task A_server_from_the_template_builds_runs_and_is_observed_by_the_tool()
    {
        string folder = projects.Folder(TemplateProjects.Server);
        string coap = await feed.InstallToolAsync();

        // As dotnet run does it, with the profile of launchSettings.json.
        using Tool server = Tool.Start(
            folder, "dotnet", ["run", "-c", "Release", "--no-build"],
            new Dictionary<string, string> { ["Coap__Server__Endpoints__0"] = "coap://127.0.0.1:0" });
        string address = CoapTool.Address(await server.SaysAsync("Listening on coap://"));
        await server.SaysAsync("Hosting environment: Development");
        Assert.Equal("Hello you!", (await Tool.RunAsync(folder, coap, ["get", address + "/hello/you"])).Trim());

        using Tool observer = Tool.Start(folder, coap, ["observe", address + "/temperature", "--count", "2", "--timeout", "120s"]);
        await observer.SaysAsync("21.5");
        await Tool.RunAsync(folder, coap, ["put", address + "/temperature", "--payload", "19.5"]);
        await observer.SaysAsync("19.5");
        Assert.Equal(0, await observer.EndAsync());
        await AsksAlikeAsync(folder, address);
    }

    // That all of them compile is seen by the fixture.
    [Fact]
    public void Projects_of_all_names_have_the_same_code()
    {
        Assert.True(projects.Built.Count > 30);
        Assert.All(projects.Built, one => Assert.Equal(CodeOf(one.Readme), CodeOf(one.Project)));

        string[] CodeOf(string project) =>
            [.. Directory.GetFiles(projects.Folder(project), "*.cs").Order(StringComparer.Ordinal).Select(File.ReadAllText)];
    }

    [Theory]
    [InlineData(TemplateProjects.Server)]
    [InlineData(TemplateProjects.SafeServer)]
    [InlineData(TemplateProjects.Web)]
    [InlineData(TemplateProjects.SafeWeb)]
    public async Task A_server_asks_for_its_addresses_outside_of_Development(string project)
    {
        using Tool server = projects.Start(project, [], ("DOTNET_ENVIRONMENT", "Production"));
        Assert.NotEqual(0, await server.EndAsync());
        server.Output.Mentions("Coap:Server:Endpoints is not set. Set it to the addresses to listen on");
        server.Output.Omits("Listening on");
    }

    [Fact]
    public async Task A_template_client_explains_failures_and_continues()
    {
        string address = $"coap://127.0.0.1:{LoopbackPort.FindFree()}";
        using Tool client = projects.Start(TemplateProjects.Client, [address + "/temperature"]);
        await client.SaysAsync("Nothing listens at");
        using Tool server = projects.Start(TemplateProjects.Server, [], ("Coap__Server__Endpoints__0", address));
        await client.SaysAsync("21.5");
        using Tool stray = projects.Start(TemplateProjects.Client, [address + "/pressure"]);
        await stray.SaysAsync("4.04");
    }

    [Fact]
    public async Task A_template_client_with_the_key_connects_to_a_template_server_with_DTLS()
    {
        string folder = projects.Folder(TemplateProjects.SafeServer);
        string key = await KeyOfAsync(folder);
        Assert.NotEqual("0x00112233445566778899aabbccddeeff", key);
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        using Tool server = projects.Start(TemplateProjects.SafeServer, [],
            ("Coap__Server__Endpoints__0", "coap://127.0.0.1:0"), ("Coap__Server__Endpoints__1", "coaps://127.0.0.1:0"));
        string plain = CoapTool.Address(await server.SaysAsync("Listening on coap://"));
        string secured = (await server.SaysAsync("Listening on coaps://")).Split("Listening on ")[1].TrimEnd('.', '\r');
        using Tool reader = projects.Start(TemplateProjects.SafeClient, [plain + "/temperature"]);
        await reader.SaysAsync("21.5");

        using Tool observer = projects.Start(TemplateProjects.SafeClient, [secured + "/temperature"], ("COAP_PSK", $"device:{key}"));
        await observer.SaysAsync("21.5");
        string coap = await feed.InstallToolAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => Tool.RunAsync(folder, coap, ["put", plain + "/temperature", "--payload", "18"]));
        await Tool.RunAsync(folder, coap, ["put", secured + "/temperature", "--payload", "19.5", "--psk", $"device:{key}"]);
        await observer.SaysAsync("19.5");
        await reader.SaysAsync("19.5");

        using Tool stranger = projects.Start(TemplateProjects.SafeClient, [secured + "/temperature"], ("COAP_PSK", "device:wrong"));
        await stranger.SaysAsync("pre-shared key");
    }

    [Theory]
    [InlineData("coap-server", "5683", "5684")]
    [InlineData("coap-server", "5699", "5700")]
    [InlineData("coap-server", "9999", "10000")]
    [InlineData("coap-server", "0", "0")]
    [InlineData("coap-aspnet", "7083", "7084")]
    public async Task The_coaps_port_follows_the_coap_port(string template, string port, string ofSecurity)
    {
        string folder = await projects.MakeAsync(template, $"Port{port}", ["--dtls", "--port", port]);

        (await File.ReadAllTextAsync(Path.Combine(folder, "appsettings.Development.json"))).Mentions(
            $"[ \"coap://localhost:{port}\", \"coaps://localhost:{ofSecurity}\" ]");
    }

    [Theory]
    [InlineData(TemplateProjects.SafeServer)]
    [InlineData(TemplateProjects.SafeWeb)]
    public async Task User_secrets_are_used_in_builds_and_not_published(string project)
    {
        string folder = projects.Folder(project);
        await Tool.RunAsync(folder, "dotnet", ["publish", "-c", "Release", "--no-build", "-o", "published"]);

        Assert.True(File.Exists(Path.Combine(folder, "published", "appsettings.json")));
        Assert.False(File.Exists(Path.Combine(folder, "published", "appsettings.Development.json")));
        Assert.True(File.Exists(Path.Combine(folder, "bin", "Release", "net10.0", "appsettings.Development.json")));
    }

    [Fact]
    public async Task An_observer_continues_with_the_next_process_after_its_server_was_killed()
    {
        string folder = projects.Folder(TemplateProjects.LastingServer);
        string key = await KeyOfAsync(folder);
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        string coap = await feed.InstallToolAsync();
        string address;
        Tool observer;
        using (Tool first = Start("coaps://127.0.0.1:0"))
        {
            address = (await first.SaysAsync("Listening on coaps://")).Split("Listening on ")[1].TrimEnd('.', '\r');
            observer = Tool.Start(folder, coap, ["observe", address + "/temperature", "--psk", $"device:{key}"]);
            await observer.SaysAsync("21.5");

            // Its end here is that of kill -9.
        }

        using (observer)
        using (Tool second = Start(address))
        {
            await second.SaysAsync("Took over 1 sessions");
            await Tool.RunAsync(folder, coap, ["put", address + "/temperature", "--payload", "19.5", "--psk", $"device:{key}"]);
            await observer.SaysAsync("19.5");
        }

        Tool Start(string endpoint) => projects.Start(TemplateProjects.LastingServer, [], ("Coap__Server__Endpoints", endpoint));
    }

    [Fact]
    public async Task A_web_application_serves_HTTP_and_WebSockets_and_a_client_observes_it()
    {
        string folder = projects.Folder(TemplateProjects.Web);
        string clientFolder = projects.Folder(TemplateProjects.Client);
        using Tool web = Tool.Start(
            folder, "dotnet", ["run", "-c", "Release", "--no-build", "--", "--urls", "http://127.0.0.1:0"],
            new Dictionary<string, string> { ["Coap__Server__Endpoints__0"] = "coap://127.0.0.1:0" });
        string line = await web.SaysAsync("CoAP over WebSockets is served at /.well-known/coap of http://");
        Uri address = new(line[line.IndexOf("http://", Ordinal)..].TrimEnd('.', '\r'));
        using Tool observer = Tool.Start(clientFolder, "dotnet",
            ["run", "-c", "Release", "--no-build", "--", $"coap+ws://{address.Authority}/temperature"]);
        await observer.SaysAsync("21.5");
        string plain = CoapTool.Address(await web.SaysAsync("Listening on coap://"));
        using Tool udp = projects.Start(TemplateProjects.Client, [plain + "/temperature"]);
        await udp.SaysAsync("21.5");

        using HttpClient http = new();
        (await http.PutAsync(new Uri(address, "/temperature"), Number("19.5"))).EnsureSuccessStatusCode();
        await observer.SaysAsync("19.5");
        await udp.SaysAsync("19.5");
        await AsksAlikeAsync(folder, plain);
        await observer.SaysAsync("23");
    }

    [Fact]
    public async Task A_web_application_with_DTLS_lets_only_clients_with_its_key_set_the_temperature()
    {
        string folder = projects.Folder(TemplateProjects.SafeWeb);
        string key = await KeyOfAsync(folder);
        Assert.NotEqual("0x00112233445566778899aabbccddeeff", key);
        Assert.SkipUnless(CoapDtls.IsSupported, "needs DTLS");
        using Tool web = projects.Start(TemplateProjects.SafeWeb, ["--urls", "http://127.0.0.1:0"],
            ("Coap__Server__Endpoints__0", "coap://127.0.0.1:0"), ("Coap__Server__Endpoints__1", "coaps://127.0.0.1:0"));
        string plain = CoapTool.Address(await web.SaysAsync("Listening on coap://"));
        string secured = (await web.SaysAsync("Listening on coaps://")).Split("Listening on ")[1].TrimEnd('.', '\r');
        using Tool reader = projects.Start(TemplateProjects.SafeClient, [plain + "/temperature"]);
        await reader.SaysAsync("21.5");
        string coap = await feed.InstallToolAsync();
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => Tool.RunAsync(folder, coap, ["put", plain + "/temperature", "--payload", "18"]));
        await Tool.RunAsync(folder, coap, ["put", secured + "/temperature", "--payload", "19.5", "--psk", $"device:{key}"]);
        await reader.SaysAsync("19.5");

        string line = await web.SaysAsync("CoAP over WebSockets is served at /.well-known/coap of http://");
        using HttpClient http = new();
        using HttpResponseMessage refused = await http.PutAsync(
            new Uri(new Uri(line[line.IndexOf("http://", Ordinal)..].TrimEnd('.', '\r')), "/temperature"), Number("18"));
        Assert.Equal(HttpStatusCode.Unauthorized, refused.StatusCode);
    }

    [Fact]
    public async Task A_client_with_DTLS_reports_that_its_key_is_missing()
    {
        using Tool client = projects.Start(TemplateProjects.SafeClient, ["coaps://127.0.0.1:1/temperature"]);
        Assert.Equal(1, await client.EndAsync());
        client.Output.Mentions("Set COAP_PSK");
    }

    [Fact]
    public async Task A_benchmark_from_the_template_compares_its_codec_with_the_library_in_a_single_table()
    {
        using Tool benchmark = projects.Start(TemplateProjects.Benchmark, ["--filter", "*", "--job", "dry", "--inProcess"]);
        Assert.Equal(0, await benchmark.EndAsync());

        string[] rows = [.. benchmark.Output.Split('\n').Where(line => line.StartsWith('|')).Select(line => line.Replace(" ", ""))];
        string[] head = Array.Find(rows, row => row.StartsWith("|Method|Categories|Case|Mean|", Ordinal))!.Split('|');
        Assert.Contains("Ratio", head);
        Assert.Contains("AllocRatio", head);
        Assert.All(["Deserialize", "DeserializeAsync", "Serialize", "SerializeAsync"], method =>
        {
            string library = Assert.Single(rows, row => row.StartsWith($"|library|{method}|3+1000|", Ordinal));

            // With as many digits as the smallest ratio of the table needs.
            Assert.Equal(1, decimal.Parse(library.Split('|')[Array.IndexOf(head, "Ratio")], CultureInfo.InvariantCulture));
            Assert.Single(rows, row => row.StartsWith($"|codec|{method}|3+1000|", Ordinal));
        });
    }

    [Fact]
    public async Task The_quick_check_of_a_benchmark_fails_with_a_codec_that_writes_other_bytes()
    {
        using Tool benchmark = projects.Start(TemplateProjects.WrongBenchmark, ["--filter", "*", "--job", "dry", "--inProcess"]);

        Assert.Equal(1, await benchmark.EndAsync());
        benchmark.Output.Mentions("Serialize gives other bytes than the library");
    }

    private static StringContent Number(string text) => new(text, Encoding.UTF8, "application/json");

    // Both servers of the templates take the same request, and say what is wrong with another.
    private async Task AsksAlikeAsync(string folder, string address)
    {
        string coap = await feed.InstallToolAsync();
        await Tool.RunAsync(folder, coap, ["put", address + "/temperature", "--payload", "23"]);
        Assert.Equal("23", (await Tool.RunAsync(folder, coap, ["get", address + "/temperature"])).Trim());
        InvalidOperationException wrong = await Assert.ThrowsAsync<InvalidOperationException>(
            () => Tool.RunAsync(folder, coap, ["put", address + "/temperature", "--payload", "warm"]));
        wrong.Mentions("4.00");
        wrong.Mentions("celsius");
    }

    private static async Task<string> KeyOfAsync(string folder)
    {
        await using FileStream file = File.OpenRead(Path.Combine(folder, "appsettings.Development.json"));
        using JsonDocument settings = await JsonDocument.ParseAsync(file,
            new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip });
        return settings.RootElement.GetProperty("Coap").GetProperty("Server").GetProperty("Dtls").GetProperty("Psk").GetProperty("device")
            .GetString()!;
    }
}
