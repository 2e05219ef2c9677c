using System.Collections.Generic;
using System.Collections.Immutable;
using CoAP.NET.Generators.Naming;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;
using Microsoft.CodeAnalysis.Diagnostics;

namespace CoAP.NET.Generators;

/// <summary>
/// Suggests the name in this library for a name of another library. Reports only beside an error of the compiler: the name or the call does
/// not exist.
/// </summary>
[DiagnosticAnalyzer(LanguageNames.CSharp)]
public sealed class CoapNameAnalyzer : DiagnosticAnalyzer
{
    /// <inheritdoc/>
    public override ImmutableArray<DiagnosticDescriptor> SupportedDiagnostics { get; } = [Descriptors.ForeignName];

    /// <inheritdoc/>
    public override void Initialize(AnalysisContext context)
    {
        context.ConfigureGeneratedCodeAnalysis(GeneratedCodeAnalysisFlags.None);
        context.EnableConcurrentExecution();
        context.RegisterSyntaxNodeAction(
            static context =>
            {
                // The generator answers the others.
                if (!NameGuessReader.IsDeclaration(context.Node))
                {
                    Report(context,
                        NameGuessReader.Read((SimpleNameSyntax)context.Node, context.SemanticModel, context.CancellationToken));
                }
            },
            SyntaxKind.IdentifierName, SyntaxKind.GenericName);
        context.RegisterSyntaxNodeAction(
            static context => Report(context,
                StatementGuessReader.Read(context.Node, context.SemanticModel, context.CancellationToken)),
            SyntaxKind.ObjectCreationExpression, SyntaxKind.ImplicitObjectCreationExpression, SyntaxKind.ForEachStatement,
            SyntaxKind.LocalDeclarationStatement, SyntaxKind.UsingStatement);
    }

    private static void Report(SyntaxNodeAnalysisContext context, IEnumerable<FoundGuess> found)
    {
        foreach (FoundGuess guess in found)
        {
            context.ReportDiagnostic(guess.ToDiagnostic());
        }
    }
}
