using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Build.Settings;

/// <summary>
/// Writes the accessors and the comments of the partial properties of classes with the attribute <c>HasSettings</c>: a setting is
/// declared once, with its range and its default, and everything else follows.
/// </summary>
[Generator]
public sealed class SettingsGenerator : IIncrementalGenerator
{
    private const string Attribute = "CoAP.NET.Settings.HasSettingsAttribute";

    /// <inheritdoc/>
    public void Initialize(IncrementalGeneratorInitializationContext context)
    {
        IncrementalValuesProvider<(string Name, string Text)> classes = context.SyntaxProvider.ForAttributeWithMetadataName(
            Attribute,
            static (node, _) => node is TypeDeclarationSyntax,
            static (found, cancellationToken) => (
                found.TargetSymbol.ToDisplayString(),
                new SettingsClassWriter((INamedTypeSymbol)found.TargetSymbol, found.SemanticModel, cancellationToken).Write()));
        context.RegisterSourceOutput(classes, static (output, written) => output.AddSource($"{written.Name}.g.cs", written.Text));
    }
}
