namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>What is said about handlers while they are compiled.</summary>
public sealed class DiagnosticTests
{
    [Theory]
    [InlineData("COAP0001", """routes.MapGet("/d/{id}", (int n) => "x");""", "{id}")]
    [InlineData("COAP0001", """routes.MapGet("/d/{id}", ([CoapFromQuery] string id) => "x");""", "{id}")]
    [InlineData("COAP0002", """routes.MapGet("/d", (object n) => "x");""", "'n'")]
    [InlineData("COAP0002", """routes.MapPost("/d", (CoapRequest n) => "x");""", "CoapRequestContext")]
    [InlineData("COAP0002", """routes.MapPost("/d", (CoapResponse n) => "x");""", "returns a CoapResult")]
    [InlineData("COAP0002", """routes.MapPost("/d", (CoapMessage n) => "x");""", "has it as Message")]
    [InlineData("COAP0002", """routes.MapGet("/d", (KeyValuePair<int, int> n) => "x");""", "GET has no body")]
    [InlineData("COAP0002", """routes.MapGet("/d/{n}", (IStore n) => "x");""", "text cannot be read")]
    [InlineData("COAP0002", """routes.MapPost("/d", ([CoapFromQuery] Dto n) => "x");""", "IParsable<Dto>")]
    [InlineData("COAP0002", """routes.MapPut("/d", (CoapETag n) => "x");""", "CheckPreconditions")]
    [InlineData("COAP0002", """routes.MapPut("/d", ([CoapFromOption(0)] string n) => "x");""", "1 to 65,535")]
    [InlineData("COAP0002", """routes.MapPut("/d", ([CoapFromOption(4)] Dto n) => "x");""", "CoapETag")]
    [InlineData("COAP0002", """routes.MapPut("/d", ([CoapFromServices] int n) => "x");""", "a class or an interface")]
    [InlineData("COAP0002", """routes.Map("/d", [CoapMethod.Get, CoapMethod.Put], (Dto n) => "x");""", "mark it")]
    [InlineData("COAP0003", """routes.MapPost("/d", ([CoapFromBody] Dto a, byte[] b) => "x");""", "'a' and 'b'")]
    [InlineData("COAP0003", """routes.MapPost("/d", (Dto[] a, KeyValuePair<int, int> b) => "x");""", "'a' and 'b'")]
    [InlineData("COAP0004", """routes.MapGet("/d/x{id}", (int n) => "x");""", "x{id}")]
    [InlineData("COAP0004", """routes.MapGet("/d/{id?}", (int n) => "x");""",
        "'{id?}' is optional, which parameters of a route cannot be; write {id} and")]
    [InlineData("COAP0004", """routes.MapGet("/d/{id:int}", (int id) => "x");""",
        "'{id:int}' has a constraint, which routes of CoAP do not have; write {id}, and let the type of the handler's parameter say")]
    [InlineData("COAP0004", """routes.MapGet("/d/{*rest}/x", (string rest) => "x");""", "nothing can follow")]
    [InlineData("COAP0004", """routes.MapGet("/d/{id}/{id}", (string id) => "x");""", "twice")]
    [InlineData("COAP0004", """routes.MapGet("/d?x=1", (int n) => "x");""", "query")]
    [InlineData("COAP0004", """routes.MapGet("/d/../x", (int n) => "x");""", "..")]
    [InlineData("COAP0005", """routes.MapGet("/d", (ref int n) => "x");""", "'n'")]
    [InlineData("COAP0005", """routes.MapGet("/d", (out int n) => { n = 1; return "x"; });""", "'n'")]
    [InlineData("COAP0005", """routes.MapGet("/d", (in int n) => "x");""", "'n'")]
    [InlineData("COAP0006", """void Add<T>(T seed) { routes.MapPost("/d", (T n) => "x"); } Add(1);""", "'T'")]
    [InlineData("COAP0006", """void Add<T>(T seed) { routes.MapPost("/d", (int n) => new List<T> { seed }); } Add(1);""", "'T'")]
    [InlineData("COAP0007", """Delegate d = (int n) => "x"; routes.MapGet("/d", d);""", "lambda")]
    [InlineData("COAP0007", """Func<int, string> d = n => "x"; routes.MapGet("/d", d);""", "lambda")]
    [InlineData("COAP0009", """routes.MapPost("/d", (Hidden n) => "x");""", "Hidden")]
    [InlineData("COAP0009", """routes.MapPost("/d", (int n) => new Hidden[n]);""", "Hidden")]
    [InlineData("COAP0010", """routes.MapGet("/d", (int n) => new { n });""", "anonymous")]
    [InlineData("COAP0010", """routes.MapGet("/d", (int n) => new MemoryStream());""", "CoapResults.Stream with an entity-tag")]
    [InlineData("COAP0010", """routes.MapGet("/d", (IAsyncEnumerable<int> n) => n);""", "a list")]
    [InlineData("COAP0010", """routes.MapGet("/d", (int n) => new Func<int>(() => n));""", "function")]
    [InlineData("COAP0012", """routes.MapGet("/d", (byte[] n) => "x");""", "GET")]
    [InlineData("COAP0012", """routes.MapDelete("/d", ([CoapFromBody] Dto n) => "x");""", "DELETE")]
    [InlineData("COAP0012", """routes.Map("/d", [CoapMethod.Get, CoapMethod.Delete], ([CoapFromBody] string n) => "x");""",
        "GET and DELETE")]
    public async Task Handlers(string id, string statements, string words)
    {
        CSharpCompilation compilation = Snippet.Compile(statements, "private record Hidden(int N);");
        Assert.Empty(Snippet.Visible(compilation));
        Diagnostic diagnostic = Assert.Single(await Snippet.AnalyzeAsync(compilation));
        Assert.Equal(id, diagnostic.Id);
        diagnostic.GetMessage().Mentions(words);
        Assert.True(diagnostic.Location.IsInSource);

        // What is wrong is not replaced, so that the compiler adds nothing of its own to it.
        Compilation generated = Snippet.Generate(compilation);
        Assert.Equal(id == "COAP0001" ? 2 : 1, generated.SyntaxTrees.Count());
        Assert.Empty(Snippet.Visible(generated));
    }

    [Fact]
    public async Task Attributes_of_ASP_NET_are_reported()
    {
        CSharpCompilation compilation = Snippet.CompileFile("""
            using CoAP.NET;

            namespace Microsoft.AspNetCore.Mvc { public sealed class FromBodyAttribute : System.Attribute; }

            public static class Endpoints
            {
                public static void Map(ICoapRouteBuilder routes) => routes.MapPost("/d", ([Microsoft.AspNetCore.Mvc.FromBody] string text) => text);
            }
            """);
        Diagnostic diagnostic = Assert.Single(await Snippet.AnalyzeAsync(compilation));
        Assert.Equal(("COAP0011", "'FromBodyAttribute' means nothing to CoAP; use CoapFromBody"), (diagnostic.Id, diagnostic.GetMessage()));
    }

    [Fact]
    public async Task The_diagnostic_for_a_project_without_interceptors_says_how_to_allow_them()
    {
        CSharpParseOptions options = new(LanguageVersion.Latest);
        CSharpCompilation compilation = Snippet.Compile("""routes.MapGet("/d", (int n) => "x");""", options: options);
        Diagnostic diagnostic = Assert.Single(await Snippet.AnalyzeAsync(compilation));
        Assert.Equal("COAP0008", diagnostic.Id);
        diagnostic.GetMessage().Mentions("<InterceptorsNamespaces>");
        Assert.Single(Snippet.Generate(compilation, options).SyntaxTrees);
    }

    [Fact]
    public async Task Valid_handlers_and_handlers_without_binding_cause_no_diagnostic()
    {
        CSharpCompilation compilation = Snippet.Compile("""
            routes.MapGet("/a", () => "x");
            routes.MapGet("/b/{id}", (CoapRequestContext request, int n) => "x");
            routes.MapGet("/c/{id}/{*rest}", (string id, string rest, IStore store, CancellationToken ct) => "x");
            routes.MapPost("/d", (Dto body, [FromKeyedServices(typeof(Dto))] IStore store) => body);
            routes.MapPost("/e", (Dto body, Endpoints service) => body);
            routes.MapPut("/f", (byte[] body, Endpoints service) => body);
            """);
        Assert.Empty(await Snippet.AnalyzeAsync(compilation));
    }

    [Fact]
    public void The_analyzers_declare_every_diagnostic() =>
        Assert.Equal(Enumerable.Range(1, 14).Select(number => $"COAP{number:D4}"),
            Snippet.Descriptors.Select(descriptor => descriptor.Id).Order());
}
