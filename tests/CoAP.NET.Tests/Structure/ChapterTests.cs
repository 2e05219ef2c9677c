using System.Text.RegularExpressions;

namespace CoAP.NET.Tests.Structure;

/// <summary>
/// A chapter is one folder and one namespace, and refers to those below it, as docs/architecture.md says. References are read from the
/// built assemblies, so that no spelling escapes.
/// </summary>
public sealed partial class ChapterTests
{
    // Projects whose namespaces do not begin with their name.
    private static readonly Dictionary<string, string> s_roots = new()
    {
        ["CoAP.NET.Dataflow"] = "CoAP.NET",
        ["CoAP.NET.Messages"] = "CoAP.NET",
        ["CoAP.NET.Cli.CommandLine"] = "CoAP.NET.Cli",
        ["CoAP.NET.Hosting.Abstractions"] = "CoAP.NET.Hosting",
        ["CoAP.NET.SerializerMatrix"] = "CoAP.NET.Benchmarks",
        ["CoAP.NET.Testing.Hosting"] = "CoAP.NET.Testing",
    };

    // Extension methods lie where their users look for them.
    private static readonly string[] s_foreignNamespaces = ["Microsoft.", "Orleans.Hosting", "System."];

    // What the compiler adds to each assembly has the same names in both, and refers to no chapter.
    private static readonly Dictionary<string, HashSet<string>> s_uses = SourceTree.Assemblies
        .SelectMany(static assembly => TypeReferences.Read(assembly.Location)).DistinctBy(static type => type.Key)
        .ToDictionary(static type => type.Key, static type => type.Value);

    private static readonly string s_page =
        File.ReadAllText(Path.Combine(SourceTree.Root, "docs", "architecture.md")).Split("## Chapters\n")[1].Split("\n## ")[0];

    // The rooms in their order, from the lowest to the highest.
    private static readonly string[] s_order = [.. Room().Matches(s_page).Select(row => row.Groups["folder"].Value)];

    [Fact]
    public void Every_type_of_the_assemblies_is_found_in_the_source()
    {
        string[] unknown = [.. s_uses.Keys.Where(IsOurs).Where(static name => !SourceTree.FolderOfType.ContainsKey(name)).Order()];
        Assert.Empty(unknown);
    }

    [Fact]
    public void The_reference_scan_finds_base_classes_signatures_and_calls()
    {
        // The tool works: a base class, a signature and a call in a method body.
        Assert.Contains("CoAP.NET.Mesh.InlineTarget`1", s_uses["CoAP.NET.Mesh.InlineBlock`2"]);
        Assert.Contains("CoAP.NET.CoapChannel", s_uses["CoAP.NET.CoapInbound"]);
        Assert.Contains("CoAP.NET.Mesh.StageExceptionReporter", s_uses["CoAP.NET.Mesh.InlineLink`1"]);
    }

    [Fact]
    public void A_type_that_is_not_public_lies_in_the_folder_of_its_namespace() =>
        Assert.Empty(
            from file in SourceTree.Files
            let text = File.ReadAllText(file)
            let space = NamespaceLine().Match(text).Groups["name"].Value
            where space.Length > 0 && !s_foreignNamespaces.Any(prefix => space.StartsWith(prefix, Ordinal))
            where !PublicLine().IsMatch(text) && space != NamespaceOf(Path.GetRelativePath(SourceTree.Root, file))
            select $"{file}: {space}");

    [Fact]
    public void A_chapter_is_one_folder_with_at_most_one_more_level()
    {
        string[] rooms = [.. SourceTree.FolderOfType.Values.Distinct()];
        string[] chapters = [.. rooms.Select(Chapter).Distinct()];

        Assert.DoesNotContain(rooms, room => room.Count(c => c == '/') > 1);
        Assert.DoesNotContain(rooms, room => room.Contains('/', Ordinal) && chapters.Contains(room.Split('/')[1]));
    }

    [Fact]
    public void A_chapter_refers_to_higher_chapters_only_where_the_page_lists_the_reference()
    {
        Assert.Equal(s_order.Order(), SourceTree.FolderOfType.Values.Distinct().Order());
        string[] found = [..
            from type in s_uses
            where IsOurs(type.Key)
            from used in type.Value
            where IsOurs(used)
            let room = SourceTree.FolderOfType[type.Key]
            let to = SourceTree.FolderOfType[used]
            where Array.IndexOf(s_order, to) > Array.IndexOf(s_order, room)
            select $"{room} -> {to}"];
        string[] written = [..
            from row in Upwards().Matches(s_page)
            from to in Folder().Matches(row.Groups["to"].Value)
            select $"{row.Groups["folder"].Value} -> {to.Groups["folder"].Value}"];

        Assert.Equal(written.Order(), found.Distinct().Order());
    }

    [Fact]
    public void Only_transports_and_their_composition_use_sockets_and_DNS()
    {
        string[] network =
        [
            "System.Net.Sockets.Socket", "System.Net.Sockets.NetworkStream", "System.Net.Security.SslStream",
            "System.Net.WebSockets.ClientWebSocket", "System.Net.Dns",
        ];

        Assert.Empty(
            from type in s_uses
            where IsOurs(type.Key) && Chapter(SourceTree.FolderOfType[type.Key]) is not ("Composition" or "Connecting" or "Transports")
            from used in type.Value.Intersect(network)
            select $"{type.Key} -> {used}");
    }

    private static string NamespaceOf(string file)
    {
        string[] parts = file.Split(Path.DirectorySeparatorChar);
        return string.Join('.', [s_roots.GetValueOrDefault(parts[1], parts[1]), .. parts[2..^1]]);
    }

    private static string Chapter(string folder) => folder.Split('/')[0];

    private static bool IsOurs(string name) => name.StartsWith("CoAP.NET", Ordinal);

    [GeneratedRegex(@"^\| `(?<folder>[\w/]+)/` \| [^|\n]+ \|$", RegexOptions.Multiline)]
    private static partial Regex Room();

    [GeneratedRegex(@"^\| `(?<folder>[\w/]+)/` \| (?<to>`[^|\n]+`) \| [^|\n]+ \|$", RegexOptions.Multiline)]
    private static partial Regex Upwards();

    [GeneratedRegex("`(?<folder>[\\w/]+)/`")]
    private static partial Regex Folder();

    [GeneratedRegex(@"^namespace (?<name>[\w.]+);", RegexOptions.Multiline)]
    private static partial Regex NamespaceLine();

    [GeneratedRegex("^public ", RegexOptions.Multiline)]
    private static partial Regex PublicLine();
}
