using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Package.Tests.Packages;

[Collection(PackedFeedCollection.Name)]
public sealed class TemplateTests(PackedFeed feed)
{
    [Fact]
    public async Task A_server_from_the_template_builds_runs_and_is_observed_by_the_tool()
    {
        string[] hive = ["--debug:custom-hive", Path.Combine(feed.Root, "hive")];
        await Tool.RunAsync(feed.Root, "dotnet", ["new", "install", Path.Combine(feed.Packages, $"CoAP.NET.Templates.{feed.Version}.nupkg"), .. hive]);
        await Tool.RunAsync(feed.Root, "dotnet", ["new", "coap-server", "-o", "Warm.House", "--port", "0", .. hive]);
        string folder = Path.Combine(feed.Root, "Warm.House");
        string project = Path.Combine(folder, "Warm.House.csproj");

        // What a user gets names the version that the template was released with; here it is the one of this run.
        string text = await File.ReadAllTextAsync(project);
        string released = $"<PackageReference Include=\"CoAP.NET.Hosting\" Version=\"{await ReleasedAsync()}\" />";
        Assert.Contains(released, text, StringComparison.Ordinal);
        await File.WriteAllTextAsync(project, text.Replace(released, $"<PackageReference Include=\"CoAP.NET.Hosting\" Version=\"{feed.Version}\" />", StringComparison.Ordinal));
        await Tool.RunAsync(folder, "dotnet", ["build", "-c", "Release", "-v", "quiet", "-warnaserror"]);
        string coap = await CoapTool.InstallAsync(feed, folder);

        using Tool server = Tool.Start(
            folder, "dotnet", [Path.Combine("bin", "Release", "net10.0", "Warm.House.dll")], new Dictionary<string, string> { ["Coap__Server__Endpoints__0"] = "coap://127.0.0.1:0" });
        string address = CoapTool.Address(await server.SaysAsync("Listening on coap://"));
        Assert.Equal("Hello you!", (await Tool.RunAsync(folder, coap, ["get", address + "/hello/you"])).Trim());

        using Tool observer = Tool.Start(folder, coap, ["observe", address + "/temperature", "--count", "2", "--timeout", "120s"]);
        await observer.SaysAsync("21.5");
        await Tool.RunAsync(folder, coap, ["put", address + "/temperature", "--payload", "19.5"]);
        await observer.SaysAsync("19.5");
        Assert.Equal(0, await observer.EndAsync());
    }

    private static async Task<string> ReleasedAsync()
    {
        string props = await File.ReadAllTextAsync(Path.Combine(Repository.Root, "Directory.Build.props"));
        int start = props.IndexOf("<Version>", StringComparison.Ordinal) + "<Version>".Length;
        return props[start..props.IndexOf("</Version>", start, StringComparison.Ordinal)];
    }
}
