using System.Text.RegularExpressions;

namespace CoAP.NET.Tests.Structure;

/// <summary>The C# snippets of a page of the documentation: each stands in tests, so that it compiles and does what the page says.</summary>
internal static partial class Snippets
{
    /// <summary>Fails for a snippet of a page that stands in no test of a folder.</summary>
    /// <param name="page">The file in <c>docs</c>.</param>
    /// <param name="folder">The folder of the tests.</param>
    /// <param name="atLeast">How many snippets there must be.</param>
    public static void AllStandInTests(string page, string folder, int atLeast)
    {
        string tests = string.Concat(Directory.GetFiles(Path.Combine(SourceTree.Root, "tests", "CoAP.NET.Tests", folder), "*.cs").Order().Select(file => Flat(File.ReadAllText(file))));
        MatchCollection snippets = Snippet().Matches(File.ReadAllText(Path.Combine(SourceTree.Root, "docs", page)));

        Assert.True(snippets.Count >= atLeast);
        Assert.All(snippets, snippet => Assert.Contains(Flat(snippet.Groups["code"].Value), tests, StringComparison.Ordinal));
    }

    private static string Flat(string code) => Blank().Replace(code, " ").Trim();

    [GeneratedRegex("^```csharp\r?\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Snippet();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blank();
}
