using System.IO.Compression;
using System.Reflection;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Package.Tests.Packages;

[Collection(PackedFeedCollection.Name)]
[External("dotnet")]
public sealed partial class ContentTests(PackedFeed feed)
{
    [Theory]
    [InlineData("CoAP.NET.Dataflow", "lib/net10.0/CoAP.NET.Dataflow.dll", "lib/net10.0/CoAP.NET.Dataflow.xml")]
    [InlineData("CoAP.NET.Content", "lib/net10.0/CoAP.NET.Content.dll", "lib/net10.0/CoAP.NET.Content.xml")]
    [InlineData("CoAP.NET.Http", "lib/net10.0/CoAP.NET.Http.dll", "lib/net10.0/CoAP.NET.Http.xml")]
    [InlineData("CoAP.NET.Edhoc", "lib/net10.0/CoAP.NET.Edhoc.dll", "lib/net10.0/CoAP.NET.Edhoc.xml")]
    [InlineData("CoAP.NET.Oscore", "lib/net10.0/CoAP.NET.Oscore.dll", "lib/net10.0/CoAP.NET.Oscore.xml")]
    [InlineData("CoAP.NET.Proxy", "lib/net10.0/CoAP.NET.Proxy.dll", "lib/net10.0/CoAP.NET.Proxy.xml")]
    [InlineData("CoAP.NET.PubSub", "lib/net10.0/CoAP.NET.PubSub.dll", "lib/net10.0/CoAP.NET.PubSub.xml")]
    [InlineData("CoAP.NET.Hosting.Abstractions", "lib/net10.0/CoAP.NET.Hosting.Abstractions.dll",
        "lib/net10.0/CoAP.NET.Hosting.Abstractions.xml")]
    [InlineData("CoAP.NET.Hosting", "lib/net10.0/CoAP.NET.Hosting.dll", "lib/net10.0/CoAP.NET.Hosting.xml",
        "analyzers/dotnet/cs/CoAP.NET.Hosting.Generators.dll")]
    [InlineData("CoAP.NET.AspNetCore", "lib/net10.0/CoAP.NET.AspNetCore.dll", "lib/net10.0/CoAP.NET.AspNetCore.xml")]
    [InlineData("CoAP.NET.Explorer", "lib/net10.0/CoAP.NET.Explorer.dll", "lib/net10.0/CoAP.NET.Explorer.xml", "licenses/uplot/LICENSE")]
    [InlineData("CoAP.NET.Dtls", "lib/net10.0/CoAP.NET.Dtls.dll", "lib/net10.0/CoAP.NET.Dtls.xml")]
    [InlineData("CoAP.NET.Cluster", "lib/net10.0/CoAP.NET.Cluster.dll", "lib/net10.0/CoAP.NET.Cluster.xml")]
    [InlineData("CoAP.NET.Cluster.PostgreSql", "lib/net10.0/CoAP.NET.Cluster.PostgreSql.dll",
        "lib/net10.0/CoAP.NET.Cluster.PostgreSql.xml")]
    [InlineData("CoAP.NET.Cluster.Sqlite", "lib/net10.0/CoAP.NET.Cluster.Sqlite.dll", "lib/net10.0/CoAP.NET.Cluster.Sqlite.xml")]
    [InlineData("CoAP.NET.Orleans", "lib/net10.0/CoAP.NET.Orleans.dll", "lib/net10.0/CoAP.NET.Orleans.xml")]
    [InlineData("CoAP.NET.ResourceDirectory", "lib/net10.0/CoAP.NET.ResourceDirectory.dll",
        "lib/net10.0/CoAP.NET.ResourceDirectory.xml")]
    [InlineData("CoAP.NET.Tables", "lib/net10.0/CoAP.NET.Tables.dll", "lib/net10.0/CoAP.NET.Tables.xml")]
    [InlineData("CoAP.NET.Caching", "lib/net10.0/CoAP.NET.Caching.dll", "lib/net10.0/CoAP.NET.Caching.xml")]
    [InlineData("CoAP.NET.QBlock", "lib/net10.0/CoAP.NET.QBlock.dll", "lib/net10.0/CoAP.NET.QBlock.xml")]
    [InlineData("CoAP.NET.Stateless", "lib/net10.0/CoAP.NET.Stateless.dll", "lib/net10.0/CoAP.NET.Stateless.xml")]
    [InlineData("CoAP.NET.Tracing", "lib/net10.0/CoAP.NET.Tracing.dll", "lib/net10.0/CoAP.NET.Tracing.xml")]
    [InlineData("CoAP.NET.SerializerMatrix", "lib/net10.0/CoAP.NET.SerializerMatrix.dll", "lib/net10.0/CoAP.NET.SerializerMatrix.xml")]
    [InlineData("CoAP.NET.Testing", "lib/net10.0/CoAP.NET.Testing.dll", "lib/net10.0/CoAP.NET.Testing.xml")]
    [InlineData("CoAP.NET.Testing.Hosting", "lib/net10.0/CoAP.NET.Testing.Hosting.dll", "lib/net10.0/CoAP.NET.Testing.Hosting.xml")]
    [InlineData("CoAP.NET.Cli", "tools/net10.0/any/coap.dll", "tools/net10.0/any/DotnetToolSettings.xml")]
    [InlineData("CoAP.NET.Load.Cli", "tools/net10.0/any/coap-load.dll", "tools/net10.0/any/DotnetToolSettings.xml")]
    [InlineData("CoAP.NET.Templates", "content/coap-server/.template.config/template.json", "content/coap-server/Program.cs",
        "content/coap-client/Program.cs", "content/coap-aspnet/Program.cs")]
    public async Task A_package_has_its_code_documentation_readme_icon_licence_and_changes(string id, params string[] files)
    {
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.nupkg"));
        string[] entries = [.. package.Entries.Select(entry => entry.FullName)];

        Assert.All((string[])[.. files, "README.md", "icon.png", "LICENSE", "CHANGELOG.md"], file => Assert.Contains(file, entries));
        using Stream stream = await package.GetEntry(id + ".nuspec")!.OpenAsync();
        XElement metadata = (await XDocument.LoadAsync(stream, LoadOptions.None, CancellationToken.None)).Root!.Elements().First();
        string Value(string name) => metadata.Elements().FirstOrDefault(element => element.Name.LocalName == name)?.Value ?? string.Empty;
        Assert.Equal("MIT", Value("license"));
        Assert.Equal("README.md", Value("readme"));
        Assert.Equal("icon.png", Value("icon"));
        Assert.NotEmpty(Value("description"));
        Assert.Equal(feed.Version, Value("version"));

        // Packages are friends, so each needs exactly its own version of the others.
        Assert.All(
            metadata.Descendants().Where(static one => one.Attribute("id")?.Value.StartsWith("CoAP.NET.", StringComparison.Ordinal) == true),
            dependency => Assert.Equal($"[{feed.Version}]", dependency.Attribute("version")!.Value));
    }

    [Theory]
    [InlineData("CoAP.NET.Dataflow", "README.md")]
    [InlineData("CoAP.NET.Content", "docs/content.md")]
    [InlineData("CoAP.NET.Http", "docs/http.md")]
    [InlineData("CoAP.NET.Edhoc", "docs/edhoc.md")]
    [InlineData("CoAP.NET.Oscore", "docs/oscore.md")]
    [InlineData("CoAP.NET.Proxy", "docs/proxies.md")]
    [InlineData("CoAP.NET.PubSub", "docs/pubsub.md")]
    [InlineData("CoAP.NET.Hosting", "docs/hosting.md")]
    [InlineData("CoAP.NET.Hosting.Abstractions", "docs/hosting.md")]
    [InlineData("CoAP.NET.AspNetCore", "docs/websockets.md")]
    [InlineData("CoAP.NET.Explorer", "docs/explorer.md")]
    [InlineData("CoAP.NET.Dtls", "docs/dtls.md")]
    [InlineData("CoAP.NET.Cluster", "docs/cluster.md")]
    [InlineData("CoAP.NET.Cluster.PostgreSql", "docs/cluster.md")]
    [InlineData("CoAP.NET.Orleans", "docs/cluster.md")]
    [InlineData("CoAP.NET.Cluster.Sqlite", "docs/cluster.md")]
    [InlineData("CoAP.NET.ResourceDirectory", "docs/resource-directory.md")]
    [InlineData("CoAP.NET.Tables", "docs/tables.md")]
    [InlineData("CoAP.NET.Caching", "docs/caching.md")]
    [InlineData("CoAP.NET.QBlock", "docs/blockwise.md")]
    [InlineData("CoAP.NET.Stateless", "docs/client.md")]
    [InlineData("CoAP.NET.Tracing", "docs/telemetry.md")]
    [InlineData("CoAP.NET.SerializerMatrix", "docs/benchmarks/serializers.md")]
    [InlineData("CoAP.NET.Testing", "docs/testing.md")]
    [InlineData("CoAP.NET.Testing.Hosting", "docs/testing-applications.md")]
    [InlineData("CoAP.NET.Cli", "docs/cli.md")]
    [InlineData("CoAP.NET.Load.Cli", "docs/load-generator.md")]
    [InlineData("CoAP.NET.Templates", "src/CoAP.NET.Templates/README.md")]
    public async Task The_readme_is_its_page_without_links_that_lead_nowhere_in_a_gallery(string id, string source)
    {
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.nupkg"));
        using StreamReader reader = new(await package.GetEntry("README.md")!.OpenAsync());
        string readme = await reader.ReadToEndAsync();
        string page = RepositoryOnly().Replace(await File.ReadAllTextAsync(Path.Combine(Repository.Root, source)), "");

        Assert.Empty(RelativeLink().Matches(readme).Select(static match => match.Value));
        Assert.DoesNotContain("![", readme, StringComparison.Ordinal);
        Assert.DoesNotContain("repository only", readme, StringComparison.Ordinal);
        Assert.DoesNotContain("No package is published", readme, StringComparison.Ordinal);
        Assert.DoesNotContain("samples/QuickStart", readme, StringComparison.Ordinal);
        Assert.Contains("are part of the repository of the project", readme, StringComparison.Ordinal);
        Assert.Empty(page.Split('\n').Where(static line => !line.Contains('[') && !line.Contains("](", StringComparison.Ordinal))
            .Except(readme.Split('\n')));

        // What a link led to is still named.
        Assert.All(RelativeLink().Matches(page),
            link => Assert.Contains(Path.GetFileName(link.Groups["page"].Value), readme, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("CoAP.NET.Dataflow")]
    [InlineData("CoAP.NET.Content")]
    [InlineData("CoAP.NET.Http")]
    [InlineData("CoAP.NET.Edhoc")]
    [InlineData("CoAP.NET.Oscore")]
    [InlineData("CoAP.NET.Proxy")]
    [InlineData("CoAP.NET.PubSub")]
    [InlineData("CoAP.NET.Hosting")]
    [InlineData("CoAP.NET.Hosting.Abstractions")]
    [InlineData("CoAP.NET.AspNetCore")]
    [InlineData("CoAP.NET.Explorer")]
    [InlineData("CoAP.NET.Dtls")]
    [InlineData("CoAP.NET.Cluster")]
    [InlineData("CoAP.NET.Cluster.PostgreSql")]
    [InlineData("CoAP.NET.Cluster.Sqlite")]
    [InlineData("CoAP.NET.Orleans")]
    [InlineData("CoAP.NET.ResourceDirectory")]
    [InlineData("CoAP.NET.Tables")]
    [InlineData("CoAP.NET.Caching")]
    [InlineData("CoAP.NET.QBlock")]
    [InlineData("CoAP.NET.Stateless")]
    [InlineData("CoAP.NET.Tracing")]
    [InlineData("CoAP.NET.SerializerMatrix")]
    [InlineData("CoAP.NET.Testing")]
    [InlineData("CoAP.NET.Testing.Hosting")]
    public async Task Symbols_hold_the_sources_for_debuggers(string id)
    {
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.snupkg"));
        using Stream stream = await package.GetEntry($"lib/net10.0/{id}.pdb")!.OpenAsync();
        MemoryStream copy = new();
        await stream.CopyToAsync(copy);

        Assert.True(PortableSymbols.EmbeddedSources(copy) > 0.95, "Sources are missing in the symbols.");
    }

    [Theory]
    [InlineData("CoAP.NET.Dataflow")]
    [InlineData("CoAP.NET.Content")]
    [InlineData("CoAP.NET.Http")]
    [InlineData("CoAP.NET.Edhoc")]
    [InlineData("CoAP.NET.Oscore")]
    [InlineData("CoAP.NET.Proxy")]
    [InlineData("CoAP.NET.PubSub")]
    [InlineData("CoAP.NET.Hosting")]
    [InlineData("CoAP.NET.Hosting.Abstractions")]
    [InlineData("CoAP.NET.AspNetCore")]
    [InlineData("CoAP.NET.Explorer")]
    [InlineData("CoAP.NET.Dtls")]
    [InlineData("CoAP.NET.Cluster")]
    [InlineData("CoAP.NET.Cluster.PostgreSql")]
    [InlineData("CoAP.NET.Cluster.Sqlite")]
    [InlineData("CoAP.NET.Orleans")]
    [InlineData("CoAP.NET.ResourceDirectory")]
    [InlineData("CoAP.NET.Tables")]
    [InlineData("CoAP.NET.Caching")]
    [InlineData("CoAP.NET.QBlock")]
    [InlineData("CoAP.NET.Stateless")]
    [InlineData("CoAP.NET.Tracing")]
    [InlineData("CoAP.NET.SerializerMatrix")]
    [InlineData("CoAP.NET.Testing")]
    [InlineData("CoAP.NET.Testing.Hosting")]
    public async Task Comments_are_those_of_all_that_users_see_and_of_nothing_else(string id)
    {
        Type[] types = Assembly.Load(id).GetExportedTypes();
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.nupkg"));
        using Stream stream = await package.GetEntry($"lib/net10.0/{id}.xml")!.OpenAsync();
        HashSet<string> packed = IdsOf(await XDocument.LoadAsync(stream, LoadOptions.None, CancellationToken.None));
        HashSet<string> written = IdsOf(XDocument.Load(Path.Combine(AppContext.BaseDirectory, $"{id}.xml")));
        HashSet<string> seen = [.. types.Select(NameOf), .. types.SelectMany(static type => type.GetMembers(
                BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly)
            .Select(member => $"{NameOf(type)}.{member.Name.Replace('.', '#')}"))];

        Assert.NotEmpty(packed);
        Assert.Empty(written.Where(comment => seen.Contains(NameIn(comment))).Except(packed));
        Assert.Empty(packed.Where(static comment => comment.StartsWith("T:", StringComparison.Ordinal)).Select(NameIn)
            .Except(types.Select(NameOf)));

        static string NameOf(Type type) => type.FullName!.Replace('+', '.');
        static string NameIn(string comment) => comment[2..].Split('(', '~')[0].Split("``")[0];
        static HashSet<string> IdsOf(XDocument comments) =>
            [.. comments.Descendants("member").Select(static member => (string)member.Attribute("name")!)];
    }

    [GeneratedRegex(@"(?<!!\[[^\]]*)\]\((?!\w+:|#)(?<page>[^)#\s]+)(#[^)\s]*)?\)")]
    private static partial Regex RelativeLink();

    [GeneratedRegex(@"<!-- repository only -->.*?<!-- end of repository only -->\s*", RegexOptions.Singleline)]
    private static partial Regex RepositoryOnly();
}
