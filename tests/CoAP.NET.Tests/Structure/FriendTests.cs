using System.Text.RegularExpressions;
using System.Xml.Linq;

namespace CoAP.NET.Tests.Structure;

/// <summary>Projects share code as friends: it is compiled once, and no assembly of others sees internals.</summary>
public sealed partial class FriendTests
{
    private static readonly string[] s_programs =
    [
        "CoAP.NET.BenchKit", "CoAP.NET.Benchmarks", "CoAP.NET.Footprint", "CoAP.NET.Simulation", "CoAP.NET.Speed", "CoAP.NET.Survival",
    ];

    [Fact]
    public void No_project_compiles_a_file_of_another_folder()
    {
        string[] files = [.. Projects(SourceTree.Root), .. Files(SourceTree.Root, "*.props"), .. Files(SourceTree.Root, "*.targets")];
        Assert.Contains(Path.Combine(SourceTree.Root, "Directory.Build.targets"), files);

        // The SDK includes what stands in the folder of a project, so nothing has to be named.
        Assert.Empty(Includes(files, "Compile"));
    }

    [Fact]
    public void Friends_are_assemblies_of_this_repository()
    {
        string[] own = [.. Projects(SourceTree.Root).Select(static file =>
            XDocument.Load(file).Descendants("AssemblyName").FirstOrDefault()?.Value ?? Path.GetFileNameWithoutExtension(file))];
        string[] friends = [.. Includes([.. Repository.ShippedFiles("*.csproj")], "InternalsVisibleTo")];
        Assert.Contains("CoAP.NET.Dtls", friends);
        Assert.Empty(friends.Except(own));

        // Projects say it; an attribute in a source file would go unseen here.
        Assert.DoesNotContain(
            SourceTree.Files, static file => File.ReadAllText(file).Contains("InternalsVisibleTo(", Ordinal));
    }

    [Fact]
    public void Tests_and_programs_need_the_internals_of_ever_fewer_packages()
    {
        // What users cannot do, tests should not need. This number goes down with each friend that goes, and up only where one assembly
        // becomes two: 13 are friends of messages as well as of the core.
        const int Most = 119;
        int friends = Repository.ShippedFiles("*.csproj").Sum(static file => Includes([file], "InternalsVisibleTo").Count(IsForTests));
        Assert.Equal(Most, friends);
    }

    private static bool IsForTests(string friend) => friend.EndsWith("Tests", Ordinal) || friend.EndsWith("TestKit", Ordinal)
        || Array.Exists(s_programs, program => friend == program);

    private static IEnumerable<string> Includes(IEnumerable<string> files, string item) =>
        files.SelectMany(file => XDocument.Load(file).Descendants().Where(one => one.Name.LocalName == item))
            .Select(static one => one.Attribute("Include")).OfType<XAttribute>().Select(static include => include.Value);

    private static IEnumerable<string> Projects(string folder) => Files(folder, "*.csproj");

    private static IEnumerable<string> Files(string folder, string pattern) =>
        Directory.EnumerateFiles(folder, pattern, SearchOption.AllDirectories)
            .Where(file => !MadeFolder().IsMatch(Path.GetRelativePath(folder, file)));

    // What the build and CI make.
    [GeneratedRegex(@"(^|[\\/])(bin|obj|artifacts)[\\/]")]
    private static partial Regex MadeFolder();
}
