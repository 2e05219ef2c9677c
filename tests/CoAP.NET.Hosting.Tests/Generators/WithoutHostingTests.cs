namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>What a project is told that uses handlers of <c>CoAP.NET.Hosting</c> without referencing it.</summary>
public sealed class WithoutHostingTests
{
    private const string Members = "string Named(CoapRequest request) => request.Path; double Number() => 21.5;";

    [Theory]
    [InlineData("routes.MapGet(\"/x/{id}\", (string id) => id);")]
    [InlineData("routes.MapGet(\"/x\", () => 21.5);")]
    [InlineData("routes.MapGet(\"/x\", Named);")]
    [InlineData("routes.MapPut(\"/x\", Number);")]
    [InlineData("routes.MapPost(\"/x\", (byte[] body) => body.Length);")]
    [InlineData("routes.Map(\"/x\", [CoapMethod.Get, CoapMethod.Put], async (int a) => { await Task.Yield(); return a; });")]
    public void The_compiler_names_the_package(string statement)
    {
        Diagnostic error = Assert.Single(Compile(statement).GetDiagnostics(),
            diagnostic => diagnostic.Severity == DiagnosticSeverity.Error && diagnostic.Id != "CS8974");
        Assert.Equal("CS0619", error.Id);
        Assert.Contains("CoAP.NET.Hosting", error.GetMessage(System.Globalization.CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("routes.MapGet(\"/x\", () => \"x\");")]
    [InlineData("routes.MapGet(\"/x\", request => request.Path);")]
    [InlineData("routes.MapPut(\"/x\", async (request, cancellationToken) => { await Task.Yield(); return CoapResults.Changed(); });")]
    [InlineData("routes.MapGet(\"/x\", Text);", "string Text() => \"x\";")]
    [InlineData("routes.Map(\"/x\", [CoapMethod.Get], request => new byte[1]);")]
    public void Handlers_of_the_core_are_not_affected(string statement, string members = "") =>
        Assert.Empty(Snippet.Visible(Compile(statement, members)));

    [Fact]
    public void With_the_package_its_own_overloads_are_taken() =>
        Assert.Empty(Snippet.Visible(
            Snippet.Generate(
                Snippet.Compile(
                    "routes.MapGet(\"/x/{id}\", (string id) => id); routes.MapGet(\"/y\", () => 21.5); routes.MapGet(\"/z\", Named);",
                    Members))));

    private static CSharpCompilation Compile(string statement, string members = Members)
    {
        CSharpCompilation compilation = Snippet.Compile(statement, members);
        return compilation.WithReferences(
            compilation.References.Where(reference => Path.GetFileName(reference.Display) != "CoAP.NET.Hosting.dll"));
    }
}
