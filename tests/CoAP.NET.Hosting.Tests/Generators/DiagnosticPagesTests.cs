namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>The pages of the diagnostics: the first example of a page causes its diagnostic, the second one causes none.</summary>
public sealed partial class DiagnosticPagesTests
{
    private const string Usings = """
        using System;
        using System.Threading;
        using System.Threading.Tasks;
        using CoAP.NET;

        CoapServer server = new();

        """;

    // What the examples use, and the attribute of ASP.NET, which these tests do not reference.
    private const string Others = """
        public sealed record Device(string Id);
        public interface IDeviceStore { Device? Find(string id); }
        namespace Microsoft.AspNetCore.Mvc { public sealed class FromBodyAttribute : System.Attribute; }
        """;

    private static readonly string s_folder = Path.Combine(Repository.Root, "docs", "diagnostics");

    public static TheoryData<string> Ids => [.. Snippet.Descriptors.Select(descriptor => descriptor.Id).Order()];

    [Theory]
    [MemberData(nameof(Ids))]
    public async Task A_diagnostic_page_has_an_example_that_causes_the_diagnostic_and_a_corrected_example(string id)
    {
        string page = await File.ReadAllTextAsync(Path.Combine(s_folder, $"{id}.md"));
        DiagnosticDescriptor descriptor = Snippet.Descriptors.Single(descriptor => descriptor.Id == id);
        string title = descriptor.Title.ToString(CultureInfo.InvariantCulture);
        page.Begins($"# {id}: {char.ToLowerInvariant(title[0])}{title[1..]}\n");
        page.Mentions($"Severity: {descriptor.DefaultSeverity.ToString().ToLowerInvariant()}.");

        MatchCollection examples = Example().Matches(page);
        CSharpParseOptions options = id == "COAP0008" ? new(LanguageVersion.Latest) : Snippet.Options;
        CSharpCompilation wrong = Compile(examples[0].Groups["code"].Value, options);
        Assert.Equal(id, Assert.Single(await Snippet.AnalyzeAsync(wrong)).Id);

        // Mended in the project file, not in the code.
        CSharpCompilation mended = id == "COAP0008" ? Compile(examples[0].Groups["code"].Value, Snippet.Options)
            : Compile(examples[1].Groups["code"].Value, options);
        Assert.Empty(await Snippet.AnalyzeAsync(mended));
        Assert.DoesNotContain(Snippet.Generate(mended).GetDiagnostics(), diagnostic => diagnostic.Severity == DiagnosticSeverity.Error);
    }

    [Fact]
    public void The_binding_page_links_to_each_diagnostic_page()
    {
        string page = File.ReadAllText(Path.Combine(s_folder, "..", "binding.md"));
        Assert.All(Ids, id => page.Mentions($"[{id.Data}](diagnostics/{id.Data}.md)"));
        Assert.Equal(Ids.Count, Directory.GetFiles(s_folder, "*.md").Length);
    }

    private static CSharpCompilation Compile(string example, CSharpParseOptions options) => Snippet.CompileFile(Usings + example, options)
        .AddSyntaxTrees(CSharpSyntaxTree.ParseText(Others, options, "Others.cs", Encoding.UTF8))
        .WithOptions(new CSharpCompilationOptions(OutputKind.ConsoleApplication, nullableContextOptions: NullableContextOptions.Enable));

    [GeneratedRegex(@"^```\w+\n(?<code>.*?)^```$", RegexOptions.Multiline | RegexOptions.Singleline)]
    private static partial Regex Example();
}
