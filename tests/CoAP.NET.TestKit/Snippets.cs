using System.Text.RegularExpressions;

namespace CoAP.NET.Tests.Shared;

/// <summary>
/// The C# snippets of a page of the documentation: each stands in tests, so that it compiles and does what the page says.
/// </summary>
internal static partial class Snippets
{
    /// <summary>Fails for a snippet of a page that stands in no test of a folder, nor in what tests share.</summary>
    /// <param name="page">The file in <c>docs</c>.</param>
    /// <param name="folder">The folder of the tests.</param>
    /// <param name="atLeast">How many snippets there must be.</param>
    /// <param name="projects">The projects of the tests; none for those of the core, alone and with packages.</param>
    public static void AllStandInTests(string page, string folder, int atLeast, params string[] projects)
    {
        string tree = Path.Combine(Repository.Root, "tests");
        string[] all = projects.Length > 0 ? projects : ["CoAP.NET.Tests", "CoAP.NET.Combined.Tests"];
        string[] folders =
        [
            .. all.Select(project => Path.Combine(tree, project, folder)).Where(Directory.Exists),
            Path.Combine(tree, "CoAP.NET.TestKit"),
        ];
        string tests = string.Concat(
            folders.SelectMany(static path => Directory.GetFiles(path, "*.cs").Order()).Select(file => Flat(File.ReadAllText(file))));
        MatchCollection snippets = Snippet().Matches(File.ReadAllText(Path.Combine(Repository.Root, "docs", page)));

        Assert.True(snippets.Count >= atLeast);
        Assert.All(snippets, snippet => tests.Mentions(Flat(Usings().Replace(snippet.Groups["code"].Value, string.Empty))));
    }

    private static string Flat(string code) => Blank().Replace(code, string.Empty);

    [GeneratedRegex("^```csharp\r?\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Snippet();

    // A whole program begins with them; in a test they are elsewhere.
    [GeneratedRegex(@"\A(using [\w.]+;\r?\n)+")]
    private static partial Regex Usings();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blank();
}
