using System.Text.RegularExpressions;
using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Guides;

/// <summary>The pages of the documentation as a whole: the index has each of them, and their links lead somewhere.</summary>
public sealed partial class PagesTests
{
    // Named before they are written.
    private static readonly string s_docs = Path.Combine(SourceTree.Root, "docs");

    private static readonly string[] s_pages =
        [.. Directory.GetFiles(s_docs, "*.md", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(s_docs, file).Replace('\\', '/')).Order(StringComparer.Ordinal)];

    public static TheoryData<string> Pages => ["../README.md", "../SECURITY.md", .. s_pages];

    [Theory]
    [MemberData(nameof(Pages))]
    public void Links_of_a_page_lead_to_files_and_headings(string page)
    {
        string folder = Path.GetDirectoryName(Path.Combine(s_docs, page))!;
        foreach (Match link in Link().Matches(Fence().Replace(File.ReadAllText(Path.Combine(s_docs, page)), "")))
        {
            string[] target = link.Groups["target"].Value.Split('#');
            string file = target[0].Length == 0 ? Path.Combine(s_docs, page) : Path.GetFullPath(Path.Combine(folder, target[0]));
            Assert.True(File.Exists(file) || Directory.Exists(file), $"{page}: there is no {link.Groups["target"].Value}.");
            if (target.Length == 2)
            {
                Assert.True(Heading().Matches(File.ReadAllText(file))
                    .Any(heading => Anchor(heading.Groups["text"].Value.Trim()) == target[1]),
                    $"{page}: {target[0]} has no heading {target[1]}.");
            }
        }
    }

    [Fact]
    public void The_index_has_every_page()
    {
        string index = File.ReadAllText(Path.Combine(s_docs, "README.md"));
        Assert.All(s_pages.Where(page => page != "README.md" && !page.StartsWith("decisions/", Ordinal)),
            page => index.Mentions($"({page})"), throwIfEmpty: true);
    }

    [Fact]
    public void The_site_has_every_page_in_one_of_its_menus()
    {
        string[] menus = [Menu("toc.yml"), Menu("contributing/toc.yml"), Menu("diagnostics/toc.yml")];
        Assert.All(s_pages, page => Assert.Single(menus, menu => menu.Contains($"/docs/{page}\n", StringComparison.Ordinal)),
            throwIfEmpty: true);
        menus[0].Omits("/decisions/");

        static string Menu(string file) => File.ReadAllText(Path.Combine(SourceTree.Root, "site", file));
    }

    [Fact]
    public void The_reference_of_the_site_includes_every_library()
    {
        string site = File.ReadAllText(Path.Combine(SourceTree.Root, "site", "docfx.json"));
        string[] libraries =
            [.. Repository.ShippedFiles("PublicAPI.Shipped.txt")
            .Select(static file => Path.GetFileName(Path.GetDirectoryName(file)!))];
        Assert.NotEmpty(libraries);
        Assert.All(libraries, library => site.Mentions($"/{library}.dll\""));
    }

    [Fact]
    public void Figures_on_the_first_page_of_the_site_appear_on_the_linked_pages()
    {
        string site = Path.Combine(SourceTree.Root, "site");
        MatchCollection claims = Claim().Matches(File.ReadAllText(Path.Combine(site, "index.md")));
        Assert.Equal(6, claims.Count);
        Assert.Contains(claims.AsEnumerable(), claim => Figure().IsMatch(claim.Groups["text"].Value));
        Assert.All(claims.AsEnumerable(), claim =>
        {
            string page = File.ReadAllText(Path.Combine(site, claim.Groups["page"].Value));
            Assert.All(Figure().Matches(claim.Groups["text"].Value),
                figure => page.Mentions(figure.Value));
        });
    }

    private static string Anchor(string heading) => NoAnchor().Replace(heading.ToLowerInvariant(), "").Replace(' ', '-');

    [GeneratedRegex(@"\]\((?<target>(?!https?:|mailto:)[^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex(@"^\| \[[^\]]*\]\((?<page>[^)#]*)[^)]*\) \| (?<text>.*) \|$", RegexOptions.Multiline)]
    private static partial Regex Claim();

    [GeneratedRegex(@"\d[\d,.]*\d|\d")]
    private static partial Regex Figure();

    [GeneratedRegex("^```.*?^```", RegexOptions.Singleline | RegexOptions.Multiline)]
    private static partial Regex Fence();

    [GeneratedRegex("^#+ (?<text>.+)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\w\- ]")]
    private static partial Regex NoAnchor();
}
