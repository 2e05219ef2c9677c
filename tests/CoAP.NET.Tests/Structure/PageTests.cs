using System.Text.RegularExpressions;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Tests.Structure;

/// <summary>What pages say about the repository is true.</summary>
public sealed partial class PageTests
{
    private const string Begin = "<!-- repository only -->";
    private const string End = "<!-- end of repository only -->";

    [Fact]
    public void Source_files_that_CONTRIBUTING_names_exist()
    {
        string page = File.ReadAllText(Path.Combine(SourceTree.Root, "CONTRIBUTING.md"));
        string[] named = [.. FileName().Matches(page).Select(match => match.Groups["path"].Value).Distinct()];

        Assert.NotEmpty(named);
        Assert.All(named, path => Assert.True(
            File.Exists(Path.Combine(SourceTree.Root, path))
                || SourceTree.Libraries.Any(library => File.Exists(Path.Combine(SourceTree.Src, library, path))),
            path));
    }

    [Fact]
    public void Statements_that_no_package_is_published_are_inside_the_marks_that_packaging_removes()
    {
        string[] pages =
        [
            .. Directory.EnumerateFiles(Path.Combine(SourceTree.Root, "docs"), "*.md", SearchOption.AllDirectories),
            Path.Combine(SourceTree.Root, "site", "index.md"),
            Path.Combine(SourceTree.Src, "CoAP.NET.Templates", "README.md"),
            Path.Combine(SourceTree.Root, "README.md"),
        ];
        (string Page, string Text)[] texts = [.. pages.Select(page => (page, File.ReadAllText(page)))];

        Assert.Contains(texts, page => IsSaidIn(page.Text));
        Assert.All(texts, page => Assert.False(IsSaidIn(RepositoryOnly().Replace(page.Text, "")), page.Page));
        Assert.All(texts, page => Assert.Equal(page.Text.Split(Begin).Length, page.Text.Split(End).Length));
    }

    private static bool IsSaidIn(string text) => text.Contains("No package is published yet", Ordinal);

    [GeneratedRegex("`(?<path>[\\w./-]+/[\\w.-]+\\.cs)`")]
    private static partial Regex FileName();

    [GeneratedRegex(Begin + ".*?" + End, RegexOptions.Singleline)]
    private static partial Regex RepositoryOnly();
}
