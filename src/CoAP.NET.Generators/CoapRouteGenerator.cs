using System.Collections.Immutable;
using System.Linq;
using CoAP.NET.Generators.Naming;
using CoAP.NET.Generators.Reading;
using CoAP.NET.Generators.Writing;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Generators;

/// <summary>Replaces calls of <c>MapGet</c> and similar methods whose handlers have bound parameters with code that binds them.</summary>
/// <remarks>It also reports names of other libraries in declarations, which <see cref="CoapOtherLibraryNameAnalyzer"/> cannot do.</remarks>
[Generator(LanguageNames.CSharp)]
public sealed class CoapRouteGenerator : IIncrementalGenerator
{
    /// <summary>The name of the step that reads calls, for tests of incremental caching.</summary>
    public const string CallsStep = "Calls";

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValuesProvider<InterceptedMapCall> calls = context.SyntaxProvider
            .CreateSyntaxProvider(
                static (node, _) => CallReader.IsCandidate(node),
                static (node, cancellationToken) =>
                    CallReader.Read((InvocationExpressionSyntax)node.Node, node.SemanticModel, cancellationToken)?.Call)
            .Where(static call => call is not null)
            .Select(static (call, _) => call!)
            .WithTrackingName(CallsStep);
        context.RegisterSourceOutput(calls.Collect(), static (output, found) => Write(output, found));

        // The compiler runs no analyzer if the type of a declaration is unknown, so an analyzer would not report this name.
        IncrementalValuesProvider<FoundOtherLibraryName> names = context.SyntaxProvider
            .CreateSyntaxProvider(
                static (node, _) => OtherLibraryNameReader.IsDeclaration(node),
                static (node, cancellationToken) =>
                    OtherLibraryNameReader.Read((SimpleNameSyntax)node.Node, node.SemanticModel, cancellationToken).FirstOrDefault())
            .Where(static name => name is not null)
            .Select(static (name, _) => name!);
        context.RegisterSourceOutput(names, static (output, name) => output.ReportDiagnostic(name.ToDiagnostic()));
    }

    private static void Write(SourceProductionContext output, ImmutableArray<InterceptedMapCall> calls)
    {
        if (!calls.IsEmpty)
        {
            output.AddSource("CoapRoutes.g.cs", FileWriter.Write(calls));
        }
    }
}
