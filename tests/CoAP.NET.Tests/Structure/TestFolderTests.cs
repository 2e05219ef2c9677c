using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>Tests of a chapter lie where its code lies: those of src/CoAP.NET.Dataflow/Peers in tests/CoAP.NET.Tests/Peers.</summary>
public class TestFolderTests
{
    private static readonly string s_tests = Path.Combine(Repository.Root, "tests", "CoAP.NET.Tests");

    // What tests more than a chapter, or another package, each for a reason.
    private static readonly string[] s_exceptions =
    [
        "Endpoints", // clients and servers as a whole
        "Engines", // everything that must be the same over every transport
        "Guides", // snippets of the documentation
        "Plugtest", // the scenarios of ETSI, which cross all chapters
        "Structure", // this
        "Testing", // src/CoAP.NET.Testing
    ];

    [Fact]
    public void Each_folder_of_the_tests_has_a_counterpart_in_the_library()
    {
        string[] tests = Folders(s_tests);
        string[] library = Folders(Path.Combine(SourceTree.Src, SourceTree.Library));

        Assert.Empty(tests.Except(library).Except(s_exceptions));
        Assert.Empty(s_exceptions.Except(tests));
        Assert.Empty(s_exceptions.Intersect(library));
    }

    [Fact]
    public void Each_folder_of_the_tests_of_transports_has_a_counterpart_in_the_library()
    {
        string library = Path.Combine(SourceTree.Src, SourceTree.Library, "Transports");
        Assert.Empty(Folders(Path.Combine(s_tests, "Transports")).Except(Folders(library)));
    }

    [Fact]
    public void Namespaces_of_tests_follow_folders()
    {
        string[] others = [.. Folders(s_tests)
            .SelectMany(folder => Directory.EnumerateFiles(Path.Combine(s_tests, folder), "*.cs", SearchOption.AllDirectories))
            .Select(file => (File: Path.GetRelativePath(s_tests, file), Text: File.ReadAllText(file)))
            .Where(source => !source.Text.Contains($"\nnamespace {NamespaceOf(source.File)};", StringComparison.Ordinal)
                && !source.Text.StartsWith($"namespace {NamespaceOf(source.File)};", StringComparison.Ordinal))
            .Select(source => source.File).Order()];
        Assert.Empty(others);
    }

    private static string[] Folders(string path) =>
        [.. Directory.GetDirectories(path)
            .Where(folder => Directory.EnumerateFiles(folder, "*.cs", SearchOption.AllDirectories).Any())
            .Select(folder => Path.GetFileName(folder))
            .Where(name => name is not ("bin" or "obj"))
            .Order(StringComparer.Ordinal)];

    private static string NamespaceOf(string file) =>
        "CoAP.NET.Tests." + Path.GetDirectoryName(file)!.Replace(Path.DirectorySeparatorChar, '.');
}
