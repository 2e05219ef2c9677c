using System.Xml.Linq;

namespace CoAP.NET.Tests.Structure;

/// <summary>Packages share code as friends: it is compiled once, and no assembly of others sees internals.</summary>
public sealed class FriendTests
{
    [Fact]
    public void No_package_compiles_a_file_of_another_folder() =>
        Assert.DoesNotContain(Includes(SourceTree.Src, "Compile"), static path => path.Contains("..", StringComparison.Ordinal));

    [Fact]
    public void Friends_are_assemblies_of_this_repository()
    {
        string[] own = [.. Projects(SourceTree.Root).Select(static file =>
            XDocument.Load(file).Descendants("AssemblyName").FirstOrDefault()?.Value ?? Path.GetFileNameWithoutExtension(file))];
        string[] friends = [.. Includes(SourceTree.Src, "InternalsVisibleTo")];
        Assert.Contains("CoAP.NET.Dtls", friends);
        Assert.Empty(friends.Except(own));

        // Projects say it; an attribute in a source file would go unseen here.
        Assert.DoesNotContain(
            SourceTree.Files, static file => File.ReadAllText(file).Contains("InternalsVisibleTo(", StringComparison.Ordinal));
    }

    private static IEnumerable<string> Includes(string folder, string item) =>
        Projects(folder).SelectMany(file => XDocument.Load(file).Descendants(item)).Select(static one => one.Attribute("Include"))
            .OfType<XAttribute>().Select(static include => include.Value);

    private static IEnumerable<string> Projects(string folder) =>
        Directory.EnumerateFiles(folder, "*.csproj", SearchOption.AllDirectories);
}
