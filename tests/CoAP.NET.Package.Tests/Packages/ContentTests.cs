using System.IO.Compression;
using System.Reflection;
using System.Xml.Linq;

namespace CoAP.NET.Package.Tests.Packages;

[Collection(PackedFeedCollection.Name)]
[External("dotnet")]
public sealed partial class ContentTests(PackedFeed feed)
{
    // The pages that become the readmes of all packages.
    private static readonly Dictionary<string, string> s_pages = new()
    {
        ["CoAP.NET.Dataflow"] = "README.md",
        ["CoAP.NET.Messages"] = "src/CoAP.NET.Messages/README.md",
        ["CoAP.NET.Content"] = "src/CoAP.NET.Content/README.md",
        ["CoAP.NET.Http"] = "src/CoAP.NET.Http/README.md",
        ["CoAP.NET.Edhoc"] = "src/CoAP.NET.Edhoc/README.md",
        ["CoAP.NET.Oscore"] = "src/CoAP.NET.Oscore/README.md",
        ["CoAP.NET.Proxy"] = "src/CoAP.NET.Proxy/README.md",
        ["CoAP.NET.PubSub"] = "src/CoAP.NET.PubSub/README.md",
        ["CoAP.NET.Hosting"] = "src/CoAP.NET.Hosting/README.md",
        ["CoAP.NET.Hosting.Abstractions"] = "src/CoAP.NET.Hosting.Abstractions/README.md",
        ["CoAP.NET.AspNetCore"] = "src/CoAP.NET.AspNetCore/README.md",
        ["CoAP.NET.Explorer"] = "src/CoAP.NET.Explorer/README.md",
        ["CoAP.NET.Dtls"] = "src/CoAP.NET.Dtls/README.md",
        ["CoAP.NET.Cluster"] = "src/CoAP.NET.Cluster/README.md",
        ["CoAP.NET.Cluster.PostgreSql"] = "src/CoAP.NET.Cluster.PostgreSql/README.md",
        ["CoAP.NET.Orleans"] = "src/CoAP.NET.Orleans/README.md",
        ["CoAP.NET.Cluster.Sqlite"] = "src/CoAP.NET.Cluster.Sqlite/README.md",
        ["CoAP.NET.ResourceDirectory"] = "src/CoAP.NET.ResourceDirectory/README.md",
        ["CoAP.NET.Tables"] = "src/CoAP.NET.Tables/README.md",
        ["CoAP.NET.Caching"] = "src/CoAP.NET.Caching/README.md",
        ["CoAP.NET.QBlock"] = "src/CoAP.NET.QBlock/README.md",
        ["CoAP.NET.Stateless"] = "src/CoAP.NET.Stateless/README.md",
        ["CoAP.NET.Tracing"] = "src/CoAP.NET.Tracing/README.md",
        ["CoAP.NET.SerializerMatrix"] = "benchmarks/CoAP.NET.SerializerMatrix/README.md",
        ["CoAP.NET.Testing"] = "src/CoAP.NET.Testing/README.md",
        ["CoAP.NET.Testing.Hosting"] = "src/CoAP.NET.Testing.Hosting/README.md",
        ["CoAP.NET.Cli"] = "tools/CoAP.NET.Cli/README.md",
        ["CoAP.NET.Load.Cli"] = "tools/CoAP.NET.Load.Cli/README.md",
        ["CoAP.NET.Templates"] = "src/CoAP.NET.Templates/README.md",
    };

    // What is no library: its files.
    private static readonly Dictionary<string, string[]> s_others = new()
    {
        ["CoAP.NET.Cli"] = ["tools/net10.0/any/coap.dll", "tools/net10.0/any/DotnetToolSettings.xml"],
        ["CoAP.NET.Load.Cli"] = ["tools/net10.0/any/coap-load.dll", "tools/net10.0/any/DotnetToolSettings.xml"],
        ["CoAP.NET.Templates"] =
        [
            "content/coap-server/.template.config/template.json", "content/coap-server/Program.cs", "content/coap-client/Program.cs",
            "content/coap-aspnet/Program.cs", "content/coap-serializer-benchmark/Program.cs",
        ],
    };

    public static TheoryData<string> Packages => [.. s_pages.Keys];

    public static TheoryData<string> Libraries => [.. s_pages.Keys.Except(s_others.Keys)];

    [Theory]
    [MemberData(nameof(Packages))]
    public async Task A_package_has_its_code_documentation_readme_icon_licence_and_changes(string id)
    {
        string[] files = s_others.GetValueOrDefault(id) ??
        [
            $"lib/net10.0/{id}.dll", $"lib/net10.0/{id}.xml",
            .. id switch
            {
                "CoAP.NET.Dataflow" => (string[])["analyzers/dotnet/cs/CoAP.NET.Generators.dll", "buildTransitive/CoAP.NET.Dataflow.props"],
                "CoAP.NET.Explorer" => ["licenses/uplot/LICENSE"],
                _ => [],
            },
        ];
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.nupkg"));
        string[] entries = [.. package.Entries.Select(entry => entry.FullName)];

        Assert.All((string[])[.. files, "README.md", "icon.png", "LICENSE", "CHANGELOG.md"], file => Assert.Contains(file, entries));
        using Stream stream = await package.GetEntry(id + ".nuspec")!.OpenAsync();
        XElement metadata = (await XDocument.LoadAsync(stream, LoadOptions.None, CancellationToken.None)).Root!.Elements().First();
        string Value(string name) => metadata.Elements().FirstOrDefault(element => element.Name.LocalName == name)?.Value ?? "";
        Assert.Equal("MIT", Value("license"));
        Assert.Equal("README.md", Value("readme"));
        Assert.Equal("icon.png", Value("icon"));
        Assert.NotEmpty(Value("description"));
        Assert.Equal(feed.Version, Value("version"));

        // Packages are friends, so each needs exactly its own version of the others.
        Assert.All(
            metadata.Descendants().Where(one => one.Attribute("id")?.Value.StartsWith("CoAP.NET.", Ordinal) == true),
            dependency => Assert.Equal($"[{feed.Version}]", dependency.Attribute("version")!.Value));
    }

    [Theory]
    [MemberData(nameof(Packages))]
    public async Task The_package_readme_is_its_page_without_links_that_are_broken_in_a_gallery(string id)
    {
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.nupkg"));
        using StreamReader reader = new(await package.GetEntry("README.md")!.OpenAsync());
        string readme = await reader.ReadToEndAsync();
        string page = RepositoryOnly().Replace(await File.ReadAllTextAsync(Path.Combine(Repository.Root, s_pages[id])), "");

        Assert.Empty(RelativeLink().Matches(readme).Select(match => match.Value));
        readme.Omits("![");
        readme.Omits("repository only");
        readme.Omits("No package is published");
        readme.Omits("samples/QuickStart");
        readme.Mentions("are part of the repository of the project");
        Assert.Empty(page.Split('\n').Where(line => !line.Contains('[') && !line.Contains("]("))
            .Except(readme.Split('\n')));

        // What a link led to is still named.
        Assert.All(RelativeLink().Matches(page),
            link => readme.Mentions(Path.GetFileName(link.Groups["page"].Value)));
    }

    [Fact]
    public void Every_package_has_a_short_page_of_its_own() => Assert.All(
        s_pages.Values.Except(["README.md"]),
        page => Assert.InRange(File.ReadAllLines(Path.Combine(Repository.Root, page)).Length, 10, 60));

    // Central pinning would write all that these need, too.
    [Theory]
    [MemberData(nameof(Libraries))]
    public async Task A_package_names_only_the_packages_that_its_project_names(string id)
    {
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.nupkg"));
        using Stream stream = await package.GetEntry(id + ".nuspec")!.OpenAsync();
        XDocument nuspec = await XDocument.LoadAsync(stream, LoadOptions.None, CancellationToken.None);
        XDocument project = XDocument.Load(Path.Combine(Repository.FolderOf(id), $"{id}.csproj"));
        string[] named =
        [
            .. project.Descendants("PackageReference").Concat(project.Descendants("ProjectReference"))
                .Select(static reference => ((string)reference.Attribute("Include")!).Replace('\\', '/'))
                .Select(static name => name.EndsWith(".csproj", Ordinal) ? Path.GetFileNameWithoutExtension(name) : name),
        ];

        Assert.Empty(nuspec.Descendants().Where(static one => one.Name.LocalName == "dependency")
            .Select(static one => (string)one.Attribute("id")!).Except(named));
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public async Task Symbol_packages_contain_the_sources_for_debuggers(string id)
    {
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.snupkg"));
        using Stream stream = await package.GetEntry($"lib/net10.0/{id}.pdb")!.OpenAsync();
        MemoryStream copy = new();
        await stream.CopyToAsync(copy);

        Assert.True(PortableSymbols.EmbeddedSources(copy) > 0.95, "Sources are missing in the symbols.");
    }

    [Theory]
    [MemberData(nameof(Libraries))]
    public async Task The_XML_documentation_covers_exactly_the_public_members(string id)
    {
        Type[] types = Assembly.Load(id).GetExportedTypes();
        await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.nupkg"));
        using Stream stream = await package.GetEntry($"lib/net10.0/{id}.xml")!.OpenAsync();
        HashSet<string> packed = IdsOf(await XDocument.LoadAsync(stream, LoadOptions.None, CancellationToken.None));
        HashSet<string> written = IdsOf(XDocument.Load(Path.Combine(AppContext.BaseDirectory, $"{id}.xml")));
        HashSet<string> seen = [.. types.Select(NameOf), .. types.SelectMany(type => type.GetMembers(
                BindingFlags.Public | BindingFlags.Instance | BindingFlags.Static | BindingFlags.DeclaredOnly)
            .Select(member => $"{NameOf(type)}.{member.Name.Replace('.', '#')}"))];

        Assert.NotEmpty(packed);
        Assert.Empty(written.Where(comment => seen.Contains(NameIn(comment))).Except(packed));
        Assert.Empty(packed.Where(comment => comment.StartsWith("T:", Ordinal)).Select(NameIn)
            .Except(types.Select(NameOf)));

        static string NameOf(Type type) => type.FullName!.Replace('+', '.');
        static string NameIn(string comment) => comment[2..].Split('(', '~')[0].Split("``")[0];
        static HashSet<string> IdsOf(XDocument comments) =>
            [.. comments.Descendants("member").Select(member => (string)member.Attribute("name")!)];
    }

    [Fact]
    public async Task The_XML_documentation_refers_only_to_public_members()
    {
        HashSet<string> members = [];
        HashSet<string> references = [];
        foreach (string id in Libraries.Select(static row => row.Data))
        {
            await using ZipArchive package = await ZipFile.OpenReadAsync(Path.Combine(feed.Packages, $"{id}.{feed.Version}.nupkg"));
            using Stream stream = await package.GetEntry($"lib/net10.0/{id}.xml")!.OpenAsync();
            XDocument comments = await XDocument.LoadAsync(stream, LoadOptions.None, CancellationToken.None);
            members.UnionWith(comments.Descendants("member").Select(static member => (string)member.Attribute("name")!));
            references.UnionWith(comments.Descendants().Attributes("cref").Select(static reference => reference.Value)
                .Where(static reference => reference[1..].StartsWith(":CoAP.NET.", Ordinal)));
        }

        Assert.NotEmpty(references);
        Assert.Empty(references.Except(members));
    }

    [GeneratedRegex(@"(?<!!\[[^\]]*)\]\((?!\w+:|#)(?<page>[^)#\s]+)(#[^)\s]*)?\)")]
    private static partial Regex RelativeLink();

    [GeneratedRegex(@"<!-- repository only -->.*?<!-- end of repository only -->\s*", RegexOptions.Singleline)]
    private static partial Regex RepositoryOnly();
}
