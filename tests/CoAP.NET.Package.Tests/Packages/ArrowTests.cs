using System.Xml.Linq;

namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// Which packages a package needs. All of them, and all that these need, stand in the bin folder of everybody who references it: a new
/// arrow is a decision.
/// </summary>
public sealed class ArrowTests
{
    private static readonly Dictionary<string, string[]> s_needs = new()
    {
        ["CoAP.NET.AspNetCore"] = ["CoAP.NET.Hosting", "CoAP.NET.Http", "CoAP.NET.Proxy"],
        ["CoAP.NET.Caching"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.Cluster"] = ["CoAP.NET.Dataflow", "CoAP.NET.Dtls", "CoAP.NET.Hosting", "CoAP.NET.Oscore", "CoAP.NET.Tables"],
        ["CoAP.NET.Cluster.PostgreSql"] = ["CoAP.NET.Cluster"],
        ["CoAP.NET.Cluster.Sqlite"] = ["CoAP.NET.Cluster"],
        ["CoAP.NET.Content"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.Dataflow"] = ["CoAP.NET.Messages"],
        ["CoAP.NET.Dtls"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.Edhoc"] = ["CoAP.NET.Content", "CoAP.NET.Dataflow", "CoAP.NET.Hosting.Abstractions", "CoAP.NET.Oscore"],
        ["CoAP.NET.Explorer"] =
            ["CoAP.NET.AspNetCore", "CoAP.NET.Content", "CoAP.NET.Dtls", "CoAP.NET.Hosting", "CoAP.NET.Oscore", "CoAP.NET.Proxy",
                "CoAP.NET.Tracing"],
        ["CoAP.NET.Hosting"] =
            ["CoAP.NET.Content", "CoAP.NET.Dataflow", "CoAP.NET.Dtls", "CoAP.NET.Hosting.Abstractions", "CoAP.NET.ResourceDirectory"],
        ["CoAP.NET.Hosting.Abstractions"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.Http"] = ["CoAP.NET.Content", "CoAP.NET.Dataflow", "CoAP.NET.Hosting.Abstractions", "CoAP.NET.Proxy"],
        ["CoAP.NET.Messages"] = [],
        ["CoAP.NET.Orleans"] = ["CoAP.NET.Cluster", "CoAP.NET.Dataflow", "CoAP.NET.Dtls", "CoAP.NET.Tables"],
        ["CoAP.NET.Oscore"] = ["CoAP.NET.Dataflow", "CoAP.NET.Hosting.Abstractions"],
        ["CoAP.NET.Proxy"] = ["CoAP.NET.Caching", "CoAP.NET.Dataflow"],
        ["CoAP.NET.PubSub"] = ["CoAP.NET.Content", "CoAP.NET.Dataflow", "CoAP.NET.Tables"],
        ["CoAP.NET.QBlock"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.ResourceDirectory"] = ["CoAP.NET.Dataflow", "CoAP.NET.Tables"],
        ["CoAP.NET.SerializerMatrix"] = ["CoAP.NET.Messages"],
        ["CoAP.NET.Stateless"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.Tables"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.Tracing"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.Testing"] = ["CoAP.NET.Dataflow"],
        ["CoAP.NET.Testing.Hosting"] = ["CoAP.NET.Hosting", "CoAP.NET.Testing"],
    };

    [Fact]
    public void A_package_depends_only_on_the_listed_packages()
    {
        Dictionary<string, string[]> needs = Repository.ShippedFiles("*.csproj")
            .Select(file => (Name: Path.GetFileNameWithoutExtension(file), Project: XDocument.Load(file)))
            .Where(project => project.Project.Descendants("IsPackable").Any() && !project.Project.Descendants("PackAsTool").Any()
                && !project.Project.Descendants("PackageType").Any())
            .ToDictionary(project => project.Name, project => Needs(project.Project));

        Assert.Equal(Lines(s_needs), Lines(needs));
    }

    // What the compiler alone uses (generators, programs that are started) is in no bin folder.
    private static string[] Needs(XDocument project) =>
    [
        .. project.Descendants("ProjectReference")
            .Where(reference => (string?)reference.Attribute("ReferenceOutputAssembly") != "false")
            .Select(reference => Path.GetFileNameWithoutExtension(((string)reference.Attribute("Include")!).Replace('\\', '/')))
            .Order(StringComparer.Ordinal),
    ];

    private static IEnumerable<string> Lines(Dictionary<string, string[]> needs) =>
        needs.OrderBy(package => package.Key, StringComparer.Ordinal)
            .Select(package => $"{package.Key} -> {string.Join(", ", package.Value)}");
}
