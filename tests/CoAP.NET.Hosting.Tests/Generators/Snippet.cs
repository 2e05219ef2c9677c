using Microsoft.CodeAnalysis.Diagnostics;

namespace CoAP.NET.Hosting.Tests.Generators;

/// <summary>A piece of code, compiled with the generator as a project with the package would be.</summary>
internal static class Snippet
{
    private const string Head = """
        using System;
        using System.Collections.Generic;
        using System.IO;
        using System.Threading;
        using System.Threading.Tasks;
        using CoAP.NET;
        using CoAP.NET.Options;
        using Microsoft.Extensions.DependencyInjection;

        """;

    private static readonly MetadataReference[] s_references =
        [.. ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator)
            .Select(path => MetadataReference.CreateFromFile(path))];

    public static CSharpParseOptions Options { get; } =
        new CSharpParseOptions(LanguageVersion.Latest).WithFeatures([new("InterceptorsNamespaces", ";CoAP.NET.Generated")]);

    /// <summary>A project with a method <c>Map(ICoapRouteBuilder routes)</c>.</summary>
    /// <param name="statements">The statements of the method.</param>
    /// <param name="members">Further members of the class, and types beside it.</param>
    /// <param name="options">How it is parsed.</param>
    public static CSharpCompilation Compile(string statements, string members = "", CSharpParseOptions? options = null) =>
        CompileFile($$"""
            {{Head}}
            public partial class Endpoints
            {
                public void Map(ICoapRouteBuilder routes)
                {
                    {{statements}}
                }

                {{members}}
            }

            public interface IStore { string Name { get; } }
            public record Dto(string Name);
            """, options);

    /// <summary>The same project with other statements. It reads no assembly again.</summary>
    /// <param name="compilation">A project of <see cref="Compile"/>.</param>
    /// <param name="before">Its statements.</param>
    /// <param name="statements">The new statements.</param>
    public static CSharpCompilation Replace(CSharpCompilation compilation, string before, string statements)
    {
        SyntaxTree tree = compilation.SyntaxTrees[0];
        return compilation.ReplaceSyntaxTree(tree, CSharpSyntaxTree.ParseText(
            tree.ToString().Replace(before, statements, StringComparison.Ordinal), Options, tree.FilePath, Encoding.UTF8));
    }

    public static CSharpCompilation CompileFile(string code, CSharpParseOptions? options = null) => CSharpCompilation.Create(
        "Snippet",
        [CSharpSyntaxTree.ParseText(code, options ?? Options, "Endpoints.cs", Encoding.UTF8)],
        s_references,
        new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, nullableContextOptions: NullableContextOptions.Enable,
            warningLevel: 9999, generalDiagnosticOption: ReportDiagnostic.Error));

    /// <summary>What the compiler says, without what only editors show.</summary>
    public static IEnumerable<Diagnostic> Visible(Compilation compilation) =>
        compilation.GetDiagnostics().Where(diagnostic => diagnostic.Severity != DiagnosticSeverity.Hidden);

    /// <summary>The diagnostics of all analyzers.</summary>
    public static ImmutableArray<DiagnosticDescriptor> Descriptors { get; } =
        [.. Analyzers.SelectMany(static analyzer => analyzer.SupportedDiagnostics)];

    private static ImmutableArray<DiagnosticAnalyzer> Analyzers => [new CoapRouteAnalyzer(), new CoapOtherLibraryNameAnalyzer()];

    /// <summary>What the analyzers say.</summary>
    public static async Task<ImmutableArray<Diagnostic>> AnalyzeAsync(Compilation compilation) =>
        await compilation.WithAnalyzers(Analyzers).GetAnalyzerDiagnosticsAsync();

    /// <summary>The compilation with what was generated.</summary>
    public static Compilation Generate(CSharpCompilation compilation, CSharpParseOptions? options = null)
    {
        Driver(options).RunGeneratorsAndUpdateCompilation(compilation, out Compilation generated,
            out ImmutableArray<Diagnostic> diagnostics);
        Assert.Empty(diagnostics);
        return generated;
    }

    public static GeneratorDriver Driver(CSharpParseOptions? options = null) => CSharpGeneratorDriver.Create(
        [new CoapRouteGenerator().AsSourceGenerator()],
        parseOptions: options ?? Options,
        driverOptions: new GeneratorDriverOptions(IncrementalGeneratorOutputKind.None, trackIncrementalGeneratorSteps: true));
}
