namespace CoAP.NET.Package.Tests.Packages;

/// <summary>
/// The C# of README, docs and examples in comments, compiled as somebody would who has the packages and nothing else: no test code, and
/// nothing that is internal. Each page is a namespace, each snippet a method with the statements of the page; what the reader has anyway,
/// such as a store of devices, stands in <c>Projects/Snippets</c>. The namespaces of the library come from the page itself. A snippet below
/// the line <c>&lt;!-- fragment --&gt;</c> is a part of something larger.
/// </summary>
[Collection(PackedFeedCollection.Name)]
[External("dotnet")]
public sealed class SnippetTests(PackedFeed feed)
{
    // Members of classes that no page shows in full. For anything else the page says what it takes.
    private const int Fragments = 4;

    // Of the types that one meets first.
    private const int Examples = 20;

    [Fact]
    public async Task Every_snippet_of_the_documentation_compiles_against_the_packages()
    {
        string folder = feed.Copy("Snippets");
        string context = await File.ReadAllTextAsync(Path.Combine(folder, "Context.cs"));
        string usings = string.Concat(context.Split('\n').Where(line => line.StartsWith("using ", Ordinal))
            .Select(line => $"{line}\n"));
        foreach (string file in Directory.GetFiles(folder, "*.cs").Where(file => Path.GetFileName(file) != "Context.cs"))
        {
            await File.WriteAllTextAsync(file, usings + await File.ReadAllTextAsync(file));
        }

        int fragments = 0;
        int pages = 0;
        SnippetPage[] examples = [.. SnippetPage.Examples()];
        Assert.True(examples.Length >= Examples);
        foreach (SnippetPage page in SnippetPage.All().Concat(examples))
        {
            fragments += page.Fragments;
            pages++;
            await File.WriteAllTextAsync(Path.Combine(folder, $"{page.Name}.page.cs"), page.ToCode());
        }

        Assert.True(pages > 25);
        Assert.Equal(Fragments, fragments);

        // What fails is told by page and line.
        await Tool.RunAsync(folder, "dotnet", ["build", "-c", "Release", "-v", "quiet", "-nologo"]);
    }
}
