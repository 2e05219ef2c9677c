using System.Text.Json;
using System.Text.RegularExpressions;
using CoAP.NET.Dtls;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>Projects of the templates, as users make them: they build without a warning, run, and are asked.</summary>
[Collection(PackedFeedCollection.Name)]
public sealed partial class TemplateTests(PackedFeed feed)
{
    [Fact]
    public async Task A_server_from_the_template_builds_runs_and_is_observed_by_the_tool()
    {
        string folder = await MakeAsync("coap-server", "Warm.House", "--port", "0");
        string coap = await CoapTool.InstallAsync(feed, folder);

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
        Assert.False(File.Exists(Path.Combine(folder, "appsettings.Development.json")));
    }

    [Fact]
    public async Task A_server_with_DTLS_and_a_client_with_its_key_find_each_other()
    {
        string folder = await MakeAsync("coap-server", "Safe.House", "--port", "0", "--dtls");
        string clientFolder = await MakeAsync("coap-client", "Guest", "--dtls");
        string key = await KeyOfAsync(folder);
        Assert.NotEqual("0x00112233445566778899aabbccddeeff", key);
        if (!CoapDtls.IsSupported)
        {
            return;
        }

        using Tool server = Tool.Start(
            folder,
            "dotnet",
            ["run", "-c", "Release", "--no-build"],
            new Dictionary<string, string>
            {
                ["Coap__Server__Endpoints__0"] = "coap://127.0.0.1:0",
                ["Coap__Server__Endpoints__1"] = "coaps://127.0.0.1:0"
            });
        string plain = CoapTool.Address(await server.SaysAsync("Listening on coap://"));
        string secured = (await server.SaysAsync("Listening on coaps://")).Split("Listening on ")[1].TrimEnd('.', '\r');
        using Tool reader = Tool.Start(clientFolder, "dotnet", ["run", "-c", "Release", "--no-build", "--", plain + "/temperature"]);
        await reader.SaysAsync("21.5");

        using Tool observer = Tool.Start(
            clientFolder, "dotnet", ["run", "-c", "Release", "--no-build", "--", secured + "/temperature"],
            new Dictionary<string, string> { ["COAP_PSK"] = $"device:{key}" });
        await observer.SaysAsync("21.5");
        string coap = await CoapTool.InstallAsync(feed, folder);
        await Assert.ThrowsAsync<InvalidOperationException>(
            () => Tool.RunAsync(folder, coap, ["put", plain + "/temperature", "--payload", "18"]));
        await Tool.RunAsync(folder, coap, ["put", secured + "/temperature", "--payload", "19.5", "--psk", $"device:{key}"]);
        await observer.SaysAsync("19.5");
        await reader.SaysAsync("19.5");
    }

    [Fact]
    public async Task A_web_application_serves_HTTP_and_WebSockets_and_a_client_observes_it()
    {
        string folder = await MakeAsync("coap-aspnet", "Green.House");
        string clientFolder = await MakeAsync("coap-client", "Watcher");
        using Tool web = Tool.Start(
            folder, "dotnet", ["run", "-c", "Release", "--no-build", "--", "--urls", "http://127.0.0.1:0"],
            new Dictionary<string, string> { ["Coap__Server__Endpoints__0"] = "coap://127.0.0.1:0" });
        string line = await web.SaysAsync("CoAP over WebSockets is served at /.well-known/coap of http://");
        Uri address = new(line[line.IndexOf("http://", StringComparison.Ordinal)..].TrimEnd('.', '\r'));
        using Tool observer = Tool.Start(clientFolder, "dotnet",
            ["run", "-c", "Release", "--no-build", "--", $"coap+ws://{address.Authority}/temperature"]);
        await observer.SaysAsync("21.5");
        using Tool udp = Tool.Start(clientFolder, "dotnet",
            ["run", "-c", "Release", "--no-build", "--", CoapTool.Address(await web.SaysAsync("Listening on coap://")) + "/temperature"]);
        await udp.SaysAsync("21.5");

        using HttpClient http = new();
        (await http.PutAsync(new Uri(address, "/temperature?celsius=19.5"), null)).EnsureSuccessStatusCode();
        await observer.SaysAsync("19.5");
        await udp.SaysAsync("19.5");
    }

    // What a user gets names the version that the template was released with; here it is the one of this run.
    private async Task<string> MakeAsync(string template, string name, params string[] arguments)
    {
        string[] hive = ["--debug:custom-hive", Path.Combine(feed.Root, "hive")];
        if (!Directory.Exists(hive[1]))
        {
            await Tool.RunAsync(feed.Root, "dotnet",
                ["new", "install", Path.Combine(feed.Packages, $"CoAP.NET.Templates.{feed.Version}.nupkg"), .. hive]);
        }

        await Tool.RunAsync(feed.Root, "dotnet", ["new", template, "-o", name, .. arguments, .. hive]);
        string folder = Path.Combine(feed.Root, name);
        string project = Path.Combine(folder, $"{name}.csproj");
        string text = await File.ReadAllTextAsync(project);
        string released = await ReleasedAsync();
        Assert.All(OwnReference().Matches(text), reference => Assert.Equal(released, reference.Groups["version"].Value));
        await File.WriteAllTextAsync(project,
            OwnReference().Replace(text, $"<PackageReference Include=\"${{id}}\" Version=\"{feed.Version}\" />"));
        Assert.DoesNotContain("#if", string.Concat(Directory.GetFiles(folder, "*.*").Select(File.ReadAllText)), StringComparison.Ordinal);
        await Tool.RunAsync(folder, "dotnet", ["build", "-c", "Release", "-v", "quiet", "-warnaserror"]);
        return folder;
    }

    private static async Task<string> KeyOfAsync(string folder)
    {
        await using FileStream file = File.OpenRead(Path.Combine(folder, "appsettings.Development.json"));
        using JsonDocument settings = await JsonDocument.ParseAsync(file,
            new JsonDocumentOptions { CommentHandling = JsonCommentHandling.Skip });
        return settings.RootElement.GetProperty("Coap").GetProperty("Server").GetProperty("Dtls").GetProperty("Psk").GetProperty("device")
            .GetString()!;
    }

    private static async Task<string> ReleasedAsync()
    {
        string props = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "Directory.Build.props"));
        int start = props.IndexOf("<Version>", StringComparison.Ordinal) + "<Version>".Length;
        return props[start..props.IndexOf("</Version>", start, StringComparison.Ordinal)];
    }

    [GeneratedRegex("<PackageReference Include=\"(?<id>CoAP\\.NET\\.[A-Za-z]+)\" Version=\"(?<version>[^\"]+)\" />")]
    private static partial Regex OwnReference();
}
