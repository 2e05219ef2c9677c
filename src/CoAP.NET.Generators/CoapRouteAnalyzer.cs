using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using CoAP.NET.Generators.Reading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

namespace CoAP.NET.Generators;

/// <summary>
/// Reports errors in handlers with bound parameters. Separate from the generator, so that pragmas and .editorconfig apply.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CoapRouteAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } =
    [
        Descriptors.UnusedRouteParameter, Descriptors.CannotBind, Descriptors.TwoBodies, Descriptors.BadTemplate, Descriptors.ByReference,
        Descriptors.OpenType,
        Descriptors.UnknownHandler, Descriptors.NoInterceptors, Descriptors.Inaccessible, Descriptors.CannotAnswer,
        Descriptors.ForeignAttribute, Descriptors.NoBody, Descriptors.UntypedLambdaDiagnostic,
    ];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSyntaxNodeAction(Analyze, SyntaxKind.InvocationExpression);
    }

    private static void Analyze(SyntaxNodeAnalysisContext context)
    {
        if (!CallReader.IsCandidate(context.Node))
        {
            return;
        }

        InvocationExpressionSyntax call = (InvocationExpressionSyntax)context.Node;
        IEnumerable<Diagnostic> found = CallReader.Read(call, context.SemanticModel, context.CancellationToken)?.Diagnostics ?? [];
        if (!found.Any() || IsReportedByCompiler(context, found))
        {
            found = MessageParameterDiagnostic.Find(call, context.SemanticModel, context.CancellationToken);
        }

        foreach (Diagnostic diagnostic in found)
        {
            context.ReportDiagnostic(diagnostic);
        }
    }

    // A second error about the same half-typed call would be wrong. Only an untyped lambda is explained besides.
    private static bool IsReportedByCompiler(SyntaxNodeAnalysisContext context, IEnumerable<Diagnostic> found) =>
        found.Any(static diagnostic => diagnostic.Descriptor != Descriptors.UntypedLambdaDiagnostic)
        && CallReader.HasError(context.SemanticModel.GetDiagnostics(context.Node.Span, context.CancellationToken));
}
