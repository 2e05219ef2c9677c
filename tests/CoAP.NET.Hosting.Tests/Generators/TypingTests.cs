namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>A handler while it is typed: the compiler reports what is missing, and the generator adds nothing to that.</summary>
public sealed class TypingTests
{
    private const string Members = """
        string Named(int id, Dto body) => body.Name;
        public class Sensor { public double Read(int id) => id; }
        """;

    private const string Pairs = "(){}[]\"\"";

    private const string Statements = "/* typed here */";

    private static readonly CSharpCompilation s_project = Snippet.Compile(Statements, Members);

    public static TheoryData<string> Handlers =>
    [
        """routes.MapGet("/a/{id}", (int id, Sensor sensor) => sensor.Read(id));""",
        """routes.MapPut("/c/{id}", Named);""",
        """routes.MapPut("/d", ([CoapFromQuery(Name = "x")] int n, [CoapFromBody] Dto body) => new Dto(body.Name + n));""",
        """routes.MapPost("/e", async (Dto body, IStore store) => { await Task.Yield(); return store.Name; });""",
        """routes.MapGet("/g", request => CoapResults.Text(request.Path));""",
    ];

    [Theory]
    [MemberData(nameof(Handlers))]
    public async Task A_handler_that_is_typed_letter_by_letter_gets_only_the_errors_of_the_compiler(string handler)
    {
        for (int length = 1; length <= handler.Length; length++)
        {
            await OnlyTheCompilerReportsAsync(handler[..length]);
        }
    }

    /// <summary>Editors close brackets and quotes as soon as they are opened.</summary>
    [Theory]
    [MemberData(nameof(Handlers))]
    public async Task A_handler_whose_brackets_the_editor_closes_gets_only_the_errors_of_the_compiler(string handler)
    {
        for (int length = 1; length <= handler.Length; length++)
        {
            string closed = handler[..length] + Closing(handler[..length]) + ";";
            if (Errors(Project(closed)).Length > 0)
            {
                await OnlyTheCompilerReportsAsync(closed);
            }
        }
    }

    [Theory]
    [InlineData("""routes.MapGet("/a", (Sensro s) => "x");""")]
    [InlineData("""routes.MapGet("/a", (List<Sensro> s) => "x");""")]
    [InlineData("""routes.MapGet("/a", (Sensro[] s) => "x");""")]
    [InlineData("""routes.MapGet("/a/{id}", (int id, Sensor s) => s.Raed(id));""")]
    [InlineData("""routes.MapGet("/a/{id}", (int id, Sensor s) => new { Value = s.Raed(id) });""")]
    [InlineData("""routes.MapGet("/a/{id}", ([CoapFromQuary] int id) => "x");""")]
    [InlineData("""routes.MapPost("/a", ([CoapFromQuary] object o) => "x");""")]
    [InlineData("""routes.MapPost("/a", (object o) => { int n = "x"; return n; });""")]
    [InlineData("""routes.MapGet("/a/{id}", Nmaed);""")]
    public async Task A_typing_error_in_a_handler_gets_no_second_error(string statement)
    {
        Assert.NotEmpty(Errors(Project(statement)));
        await OnlyTheCompilerReportsAsync(statement);
    }

    /// <summary>The type of the parameter is the cause of what the compiler reports in the body.</summary>
    [Theory]
    [InlineData("""routes.MapGet("/a", (CoapRequest request) => CoapResults.Text(request.Query["x"]));""", "a request to send")]
    [InlineData("""routes.MapGet("/a", (CoapRequest request) => request.User ? "x" : "y");""", "a request to send")]
    [InlineData("""routes.MapGet("/a", (CoapRequest request) => { if (request.User) { return "x"; } return request.Name; });""",
        "a handler gets a CoapRequestContext")]
    [InlineData("""routes.MapGet("/a", (CoapResponse response) => response.Query);""", "returns a CoapResult")]
    [InlineData("""routes.MapPut("/a", async (CoapMessage message) => { await message.Body; return "x"; });""", "as Message")]
    [InlineData("""routes.MapPut("/a", (CoapRequest request, CancellationToken token) => { int n = "x"; });""", "a request to send")]
    [InlineData("""routes.MapGet("/a", (CoapRequest request, Sensro s) => "x");""", "a request to send")]
    public async Task A_message_as_a_parameter_is_reported_beside_the_errors_of_the_body(string statement, string words)
    {
        CSharpCompilation compilation = Project(statement);
        Assert.NotEmpty(Errors(compilation));
        Diagnostic diagnostic = Assert.Single(await Snippet.AnalyzeAsync(compilation));
        Assert.Equal("COAP0002", diagnostic.Id);
        diagnostic.GetMessage().Mentions(words);

        // Code for the call would only add errors.
        Assert.Single(Snippet.Generate(compilation).SyntaxTrees);
    }

    private static async Task OnlyTheCompilerReportsAsync(string statement)
    {
        CSharpCompilation compilation = Project(statement);
        ImmutableArray<Diagnostic> reported = await Snippet.AnalyzeAsync(compilation);
        Assert.True(reported.IsEmpty, $"{statement}\n{string.Join('\n', reported)}");

        // What the generator adds is free of errors.
        Compilation generated = Snippet.Generate(compilation);
        if (generated.SyntaxTrees.Count() > 1)
        {
            string[] before = Errors(compilation);
            string[] after = Errors(generated);
            Assert.True(before.SequenceEqual(after), $"{statement}\n{string.Join('\n', before)}\n\n{string.Join('\n', after)}");
        }
    }

    private static CSharpCompilation Project(string statement) => Snippet.Replace(s_project, Statements, statement);

    private static string[] Errors(Compilation compilation) => [.. compilation.GetDiagnostics()
        .Where(static diagnostic => diagnostic.DefaultSeverity == DiagnosticSeverity.Error)
        .Select(static diagnostic => diagnostic.ToString()).Order(StringComparer.Ordinal)];

    private static string Closing(string typed)
    {
        Stack<char> open = new();
        foreach (char character in typed)
        {
            int at = Pairs.IndexOf(character, Ordinal);
            if (open.TryPeek(out char last) && last == character)
            {
                open.Pop();
            }
            else if (at >= 0 && at % 2 == 0 && last != '"')
            {
                open.Push(Pairs[at + 1]);
            }
        }

        return new string([.. open]);
    }
}
