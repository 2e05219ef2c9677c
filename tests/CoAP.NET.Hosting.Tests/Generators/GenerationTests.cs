namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>The generated code as such. Warnings are errors in the snippets.</summary>
public sealed class GenerationTests
{
    private const string Routes = """
        routes.MapGet("/a/{id}", (string id, int? limit, IStore? store = null, string text = "\"\n\u2028", decimal d = 1.50m, float f = float.NaN, long l = long.MinValue, CancellationToken ct = default) => id);
        routes.MapGet("/b", (string @class, [CoapFromQuery(Name = "a\"b")] string? odd, int[]? none = null) => new List<string?> { @class });
        routes.MapPost("/c", async (Dto body, params string[] tags) => { await Task.Yield(); return (body, tags); });
        routes.MapPut("/d", Method);
        routes.MapPut("/e", (Dto? body, [FromKeyedServices("a\"b")] IStore store, [FromKeyedServices(5L)] IStore? other) => { });
        routes.MapPatch("/f", (Guid a, DateTimeOffset b, TimeSpan c, DayOfWeek d, Uri e, ulong[] f, ReadOnlyMemory<byte> g) => Task.FromResult<Dto?>(null));
        routes.MapIPatch("/g", (Old old) => ValueTask.CompletedTask);
        routes.MapFetch("/h", delegate(int n) { return n; });
        CoapRouteBuilderExtensions.Map(routes, "/i", new[] { CoapMethod.Put }, (Dto body) => (CoapResult?)null);
        routes.MapPut("/l", (byte[] body, Dto service, Dto? other, double n, Half? h = null) => service);
        routes.MapGroup("/j").MapGet("/k", (int n) => n).WithTitle("x");
        """;

    private const string Members = """
        private static int Method(string? q = null, Dto? body = null) => 1;
        [Obsolete("old")] public record Old(int N);
        """;

    [Fact]
    public async Task Every_form_of_handler_compiles_without_warnings()
    {
        CSharpCompilation compilation = Snippet.Compile("#pragma warning disable CS0618\n" + Routes + "\n#pragma warning restore CS0618",
            Members);
        Assert.Empty(await Snippet.AnalyzeAsync(compilation));
        Compilation generated = Snippet.Generate(compilation);
        Assert.Empty(Snippet.Visible(generated));
        string code = generated.SyntaxTrees.Last().ToString();
        Assert.Equal(11, code.Split("[global::System.Runtime.CompilerServices.InterceptsLocationAttribute(").Length - 1);
        using MemoryStream assembly = new();
        Assert.True(generated.Emit(assembly).Success);
    }

    [Fact]
    public async Task A_ReadOnlyMemory_of_char_is_deserialized_and_is_not_the_raw_payload()
    {
        CSharpCompilation compilation = Snippet.Compile("""routes.MapPut("/m", (ReadOnlyMemory<char> text) => text[1..]);""");
        Assert.Empty(await Snippet.AnalyzeAsync(compilation));
        Compilation generated = Snippet.Generate(compilation);
        Assert.Empty(Snippet.Visible(generated));
        generated.SyntaxTrees.Last().ToString().Mentions("Body<global::System.ReadOnlyMemory<char>>");
    }

    [Fact]
    public void The_generated_code_does_not_depend_on_the_location_of_the_project()
    {
        CSharpCompilation compilation = Snippet.Compile("""routes.MapGet("/d", (int n) => "x");""");
        SyntaxTree tree = compilation.SyntaxTrees[0];
        CSharpCompilation elsewhere = compilation.ReplaceSyntaxTree(tree, tree.WithFilePath("/somewhere/else/Endpoints.cs"));
        Assert.Equal(Code(compilation), Code(elsewhere));

        static string Code(CSharpCompilation compilation) => Snippet.Generate(compilation).SyntaxTrees.Last().ToString();
    }

    [Fact]
    public void Two_projects_with_access_to_internal_types_of_each_other_do_not_conflict()
    {
        CSharpCompilation first = Snippet.Compile("""routes.MapGet("/d", (int n) => "x");""");
        Compilation generated = Snippet.Generate(first);
        CSharpCompilation friend = Snippet.CompileFile("""
            using CoAP.NET;
            public static class Others { public static void Map(ICoapRouteBuilder routes) => routes.MapGet("/d", (string s) => s); }
            """).AddReferences(generated.ToMetadataReference());
        Assert.Empty(Snippet.Visible(Snippet.Generate(friend)));
    }

    [Fact]
    public void A_change_elsewhere_regenerates_no_code()
    {
        CSharpCompilation compilation = Snippet.Compile(Routes.Replace("routes.MapIPatch", "//", StringComparison.Ordinal), Members);
        GeneratorDriver driver = Snippet.Driver().RunGenerators(compilation);
        driver = driver.RunGenerators(
            compilation.AddSyntaxTrees(CSharpSyntaxTree.ParseText("class Other { int X() => 1; }", Snippet.Options, "Other.cs")));
        GeneratorRunResult result = driver.GetRunResult().Results.Single();
        Assert.All(Reasons(result, CoapRouteGenerator.CallsStep),
            reason => Assert.True(reason is IncrementalStepRunReason.Cached or IncrementalStepRunReason.Unchanged), throwIfEmpty: true);
        Assert.All(result.TrackedOutputSteps.SelectMany(step => step.Value).SelectMany(step => step.Outputs),
            output => Assert.Equal(IncrementalStepRunReason.Cached, output.Reason), throwIfEmpty: true);
    }

    [Fact]
    public void A_change_of_a_handler_regenerates_its_code()
    {
        CSharpCompilation compilation = Snippet.Compile("""routes.MapGet("/d", (int n) => "x");""");
        GeneratorDriver driver = Snippet.Driver().RunGenerators(compilation);
        driver = driver.RunGenerators(Snippet.Compile("""routes.MapGet("/d", (long n) => "x");"""));
        GeneratorRunResult result = driver.GetRunResult().Results.Single();
        Assert.Contains(IncrementalStepRunReason.Modified, Reasons(result, CoapRouteGenerator.CallsStep));
        result.GeneratedSources.Single().SourceText.ToString().Mentions("Parsable<long>");
    }

    [Fact]
    public void A_project_without_mapped_handlers_gets_no_generated_file() =>
        Assert.Single(Snippet.Generate(Snippet.Compile("""routes.MapGet("/a", () => "x"); new List<int>().Add(1);""")).SyntaxTrees);

    private static ImmutableArray<IncrementalStepRunReason> Reasons(GeneratorRunResult result, string step) =>
        [.. result.TrackedSteps[step].SelectMany(tracked => tracked.Outputs).Select(output => output.Reason)];
}
