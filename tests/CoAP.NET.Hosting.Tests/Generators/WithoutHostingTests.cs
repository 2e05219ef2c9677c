namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>A project that references only the package <c>CoAP.NET.Dataflow</c>.</summary>
public sealed class WithoutHostingTests
{
    private const string Statements = """
        routes.MapGet("/x/{id}", (int id) => id + 0.5);
        routes.MapGet("/y", Named);
        routes.MapPost("/z", (Dto body, CancellationToken token) => body);
        """;

    private const string Members = "string Named(CoapPeer peer) => \"x\";";

    [Fact]
    public async Task Handlers_are_bound_with_the_core_package_alone()
    {
        CSharpCompilation compilation = CoreOnly(Snippet.Compile(Statements, Members));
        Assert.Empty(await Snippet.AnalyzeAsync(compilation));
        Compilation generated = Snippet.Generate(compilation);
        Assert.Empty(Snippet.Visible(generated));
        generated.SyntaxTrees.Last().ToString().Omits("AddCbor");
    }

    [Fact]
    public void Handlers_accept_CBOR_with_the_content_package() =>
        Assert.Equal(3, Snippet.Generate(Snippet.Compile(Statements, Members)).SyntaxTrees.Last().ToString()
            .Split("AddCbor(route)").Length - 1);

    private static CSharpCompilation CoreOnly(CSharpCompilation compilation) => compilation.WithReferences(
        compilation.References.Where(reference => Path.GetFileNameWithoutExtension(reference.Display)!
            is var name && (name is "CoAP.NET.Dataflow" or "CoAP.NET.Messages" || !name.StartsWith("CoAP.NET", StringComparison.Ordinal))));
}
