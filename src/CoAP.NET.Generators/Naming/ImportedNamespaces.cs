using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Generators.Naming;

/// <summary>Checks whether code uses this library, so that an unknown name is meant to be one of it.</summary>
internal static class ImportedNamespaces
{
    private const string Library = "CoAP.NET";

    /// <summary>Whether the file, or a global using of the project, imports a namespace of this library.</summary>
    public static bool HasLibrary(SyntaxNode node, SemanticModel model) => HasLibrary(node.SyntaxTree.GetRoot(), isOwn: true)
        || model.Compilation.SyntaxTrees.Any(static tree => HasLibrary(tree.GetRoot(), isOwn: false));

    private static bool HasLibrary(SyntaxNode root, bool isOwn) => root is CompilationUnitSyntax file
        && file.Usings.Concat(file.Members.OfType<BaseNamespaceDeclarationSyntax>().SelectMany(static space => space.Usings))
            .Any(directive => (isOwn || directive.GlobalKeyword.IsKind(SyntaxKind.GlobalKeyword))
                && directive.Name?.ToString() is { } name
                && (name == Library || name.StartsWith(Library + ".", System.StringComparison.Ordinal)));
}
