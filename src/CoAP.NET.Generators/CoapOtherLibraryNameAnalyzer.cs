using System.Collections.Generic;
using System.Collections.Immutable;
using CoAP.NET.Generators.Naming;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

namespace CoAP.NET.Generators;

/// <summary>
/// Suggests the CoAP.NET name where code uses a name of another library. Reports only where the compiler reports an error too.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CoapOtherLibraryNameAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Descriptors.OtherLibraryName];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSyntaxNodeAction(
            static context =>
            {
                // The generator reports names in declarations.
                if (!OtherLibraryNameReader.IsDeclaration(context.Node))
                {
                    Report(context,
                        OtherLibraryNameReader.Read((SimpleNameSyntax)context.Node, context.SemanticModel, context.CancellationToken));
                }
            },
            SyntaxKind.IdentifierName, SyntaxKind.GenericName);
        context.RegisterSyntaxNodeAction(
            static context => Report(context,
                OtherLibraryStatementReader.Read(context.Node, context.SemanticModel, context.CancellationToken)),
            SyntaxKind.ObjectCreationExpression, SyntaxKind.ImplicitObjectCreationExpression, SyntaxKind.ForEachStatement,
            SyntaxKind.LocalDeclarationStatement, SyntaxKind.UsingStatement);
    }

    private static void Report(SyntaxNodeAnalysisContext context, IEnumerable<FoundOtherLibraryName> found)
    {
        foreach (FoundOtherLibraryName name in found)
        {
            context.ReportDiagnostic(name.ToDiagnostic());
        }
    }
}
