using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>The overload that the compiler binds to a handler, and whether the generator intercepts the call.</summary>
public sealed class HandlerOverloadTests
{
    private const string Members = """
        CoapResult Now(CoapRequestContext request) => CoapResults.Changed();
        ValueTask<CoapResult> Later(CoapRequestContext request, CancellationToken token) => new(CoapResults.Changed());
        Task<CoapResult> AsTask(CoapRequestContext request, CancellationToken token) => Task.FromResult(CoapResults.Changed());
        string Text() => "x";
        string Named(CoapRequestContext request) => "x";
        CoapResult? Perhaps() => null;
        """;

    [Theory]
    [InlineData("(request, token) => new ValueTask<CoapResult>(CoapResults.Changed())")]
    [InlineData("async (request, token) => { await Task.Yield(); return CoapResults.Changed(); }")]
    [InlineData("async (request, _) => { await Task.Yield(); return \"x\"; }")]
    [InlineData("(CoapRequestContext request, CancellationToken token) => new ValueTask<CoapResult>(CoapResults.Changed())")]
    [InlineData("async (CoapRequestContext request, CancellationToken token) => { await Task.Yield(); return CoapResults.Changed(); }")]
    [InlineData("async (CoapRequestContext request, CancellationToken token) => { await Task.Yield(); return \"x\"; }")]
    [InlineData("(request, token) => throw new InvalidOperationException()")]
    [InlineData("async (request, token) => throw new InvalidOperationException()")]
    [InlineData("Later")]
    [InlineData("(CoapHandler)Later")]
    public Task An_asynchronous_handler_with_request_and_token_binds_to_CoapHandler_and_is_not_intercepted(string handler) =>
        IsTakenAsync(handler, "CoapHandler");

    [Theory]
    [InlineData("request => CoapResults.Changed()")]
    [InlineData("_ => \"x\"")]
    [InlineData("request => new byte[1]")]
    [InlineData("request => { if (request.Path == \"x\") { return CoapResults.Changed(); } return \"y\"; }")]
    [InlineData("(CoapRequestContext request) => CoapResults.Changed()")]
    [InlineData("(CoapRequestContext request) => \"x\"")]
    [InlineData("request => throw new InvalidOperationException()")]
    [InlineData("(CoapRequestContext request) => throw new InvalidOperationException()")]
    [InlineData("Now")]
    public Task A_synchronous_handler_with_a_request_binds_to_Func_and_is_not_intercepted(string handler) =>
        IsTakenAsync(handler, "Func");

    [Theory]
    [InlineData("() => CoapResults.Changed()")]
    [InlineData("() => \"x\"")]
    [InlineData("CoapResult () => throw new InvalidOperationException()")]
    [InlineData("() => new ValueTask<CoapResult>(CoapResults.Changed())")]
    [InlineData("() => Task.FromResult(CoapResults.Changed())")]
    [InlineData("async () => { await Task.Yield(); return CoapResults.Changed(); }")]
    [InlineData("(CoapRequestContext request) => Task.FromResult(CoapResults.Changed())")]
    [InlineData("(CoapRequestContext request) => new ValueTask<CoapResult>(CoapResults.Changed())")]
    [InlineData("async (CoapRequestContext request) => { await Task.Yield(); return CoapResults.Changed(); }")]
    [InlineData("(CoapRequestContext request, CancellationToken token) => CoapResults.Changed()")]
    [InlineData("() => (CoapResult?)null")]
    [InlineData("async () => { await Task.Yield(); return (CoapResult?)null; }")]
    [InlineData("Perhaps")]
    [InlineData("AsTask")]
    [InlineData("Text")]
    [InlineData("(Func<CoapRequestContext, Task<CoapResult>>)(request => Task.FromResult(CoapResults.Changed()))")]
    public Task Other_handlers_of_requests_and_tokens_bind_to_Delegate_and_are_not_intercepted(string handler) =>
        IsTakenAsync(handler, "Delegate");

    [Theory]
    [InlineData("(int n) => CoapResults.Changed()")]
    [InlineData("() => 21.5")]
    [InlineData("() => new byte[1]")]
    [InlineData("() => { }")]
    [InlineData("() => Task.CompletedTask")]
    [InlineData("async () => { await Task.Yield(); return \"x\"; }")]
    [InlineData("(CoapRequestContext request) => Task.FromResult(\"x\")")]
    [InlineData("async (CoapRequestContext request) => { await Task.Yield(); }")]
    [InlineData("Named")]
    public Task All_other_handlers_are_intercepted(string handler) => IsTakenAsync(handler, "Delegate", replaced: true);

    [Theory]
    [InlineData("async request => { await Task.Yield(); return CoapResults.Changed(); }", "'async (CoapRequestContext request) => ...'")]
    [InlineData("request => Task.FromResult(CoapResults.Changed())", "'(CoapRequestContext request) => ...'")]
    [InlineData("(request, token) => CoapResults.Changed()", "'(CoapRequestContext request, CancellationToken token) => ...'")]
    [InlineData("() => throw new InvalidOperationException()", "'CoapResult () => ...'")]
    [InlineData("id => id", "'(CoapRequestContext id) => ...'")]
    [InlineData("(a, b, c) => \"x\"", "the types of its parameters")]
    public async Task A_lambda_with_an_invalid_signature_gets_a_single_error_and_a_hint(string handler, string advice)
    {
        CSharpCompilation compilation = Snippet.Compile($"routes.MapGet(\"/x\", {handler});");
        Assert.InRange(compilation.GetDiagnostics().Count(diagnostic => diagnostic.Severity == DiagnosticSeverity.Error), 1, 2);
        Diagnostic diagnostic = Assert.Single(await Snippet.AnalyzeAsync(compilation));
        Assert.Equal("COAP0013", diagnostic.Id);
        diagnostic.GetMessage(CultureInfo.InvariantCulture).Mentions(advice);
    }

    [Theory]
    [InlineData("request => Undefined(request)")]
    [InlineData("async (request, token) => { await Undefined(); return CoapResults.Changed(); }")]
    [InlineData("request => { int n = \"x\"; return CoapResults.Changed(); }")]
    public async Task An_error_inside_a_lambda_gets_no_hint(string handler)
    {
        CSharpCompilation compilation = Snippet.Compile($"routes.MapGet(\"/x\", {handler});");
        Assert.Single(compilation.GetDiagnostics(), diagnostic => diagnostic.Severity == DiagnosticSeverity.Error);
        Assert.Empty(await Snippet.AnalyzeAsync(compilation));
    }

    [Fact]
    public async Task Lambdas_for_several_methods_require_explicit_types()
    {
        Diagnostic diagnostic = Assert.Single(
            await Snippet.AnalyzeAsync(Snippet.Compile("routes.Map(\"/x\", [CoapMethod.Get], request => \"x\");")));
        Assert.Equal("COAP0013", diagnostic.Id);
    }

    private static async Task IsTakenAsync(string handler, string type, bool replaced = false)
    {
        CSharpCompilation compilation = Snippet.Compile($"routes.MapGet(\"/x\", {handler});", Members);
        Assert.DoesNotContain(Snippet.Visible(compilation), diagnostic => diagnostic.Id != "CS1998");
        Assert.Empty(await Snippet.AnalyzeAsync(compilation));
        SyntaxTree tree = compilation.SyntaxTrees[0];
        InvocationExpressionSyntax call = tree.GetRoot().DescendantNodes().OfType<InvocationExpressionSyntax>()
            .First(node => node.Expression.ToString() == "routes.MapGet");
        IMethodSymbol method = (IMethodSymbol)compilation.GetSemanticModel(tree).GetSymbolInfo(call).Symbol!;
        Assert.Equal(type, method.Parameters[^1].Type.Name);
        Compilation generated = Snippet.Generate(compilation);
        Assert.Equal(replaced ? 2 : 1, generated.SyntaxTrees.Count());
        Assert.DoesNotContain(Snippet.Visible(generated), diagnostic => diagnostic.Id != "CS1998");
    }
}
