using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Hosting.Tests.Documentation;

/// <summary>Pages of the documentation, whose snippets stand in the tests of this folder.</summary>
internal static partial class Page
{
    public static string Read(string name) => File.ReadAllText(Path.Combine(Repository.Root, "docs", name));

    public static void HasOnlyCompiledSnippets(string name, int atLeast)
    {
        string code = string.Concat(Directory.GetFiles(Folder(), "*.cs").Select(file => Flat(File.ReadAllText(file))));
        MatchCollection snippets = Snippet().Matches(Read(name));
        Assert.True(snippets.Count >= atLeast);
        Assert.All(snippets, snippet => code.Mentions(Flat(snippet.Groups["code"].Value)));
    }

    public static string TestFile(string name) => Path.Combine(Folder(), name);

    private static string Folder() => Path.Combine(Repository.Root, "tests", "CoAP.NET.Hosting.Tests", "Documentation");

    private static string Flat(string code) => Blank().Replace(code, string.Empty);

    [GeneratedRegex("^```csharp\r?\n(?<code>.*?)^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Snippet();

    [GeneratedRegex(@"\s+")]
    private static partial Regex Blank();
}
