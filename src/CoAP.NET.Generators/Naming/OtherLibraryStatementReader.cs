using System.Collections.Generic;
using System.Linq;
using System.Threading;
using CoAP.NET.Generators.Reading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Generators.Naming;

/// <summary>Finds statements of another library: creating, disposing or enumerating an object that does not allow it here.</summary>
internal static class OtherLibraryStatementReader
{
    /// <summary>Reads an expression or a statement.</summary>
    /// <returns>The statement; none if the object allows it, or if there is none for its type.</returns>
    public static IEnumerable<FoundOtherLibraryName> Read(
        SyntaxNode node, SemanticModel model, CancellationToken cancellationToken) => node switch
        {
            BaseObjectCreationExpressionSyntax creation => model.GetSymbolInfo(creation, cancellationToken).Symbol is null
                ? Find(OtherLibraryNames.Constructor, model.GetTypeInfo(creation, cancellationToken).Type, creation.NewKeyword)
                : [],
            ForEachStatementSyntax each => each.AwaitKeyword.IsKind(SyntaxKind.AwaitKeyword)
                && model.GetForEachStatementInfo(each).GetEnumeratorMethod is null
                ? Find(OtherLibraryNames.Enumeration, model.GetTypeInfo(each.Expression, cancellationToken).Type, each.ForEachKeyword)
                : [],
            LocalDeclarationStatementSyntax local => IsDisposal(local.UsingKeyword, local.AwaitKeyword)
                ? Find(OtherLibraryNames.Disposal, model.GetTypeInfo(local.Declaration.Type, cancellationToken).Type, local.UsingKeyword)
                : [],
            UsingStatementSyntax block => IsDisposal(block.UsingKeyword, block.AwaitKeyword)
                ? Find(
                    OtherLibraryNames.Disposal,
                    Disposed(block) is { } disposed ? model.GetTypeInfo(disposed, cancellationToken).Type : null,
                    block.UsingKeyword)
                : [],
            _ => [],
        };

    private static bool IsDisposal(SyntaxToken word, SyntaxToken awaiting) =>
        word.IsKind(SyntaxKind.UsingKeyword) && !awaiting.IsKind(SyntaxKind.AwaitKeyword);

    private static SyntaxNode? Disposed(UsingStatementSyntax block) => (SyntaxNode?)block.Declaration?.Type ?? block.Expression;

    private static IEnumerable<FoundOtherLibraryName> Find(string name, ITypeSymbol? type, SyntaxToken at) =>
        type is not null && OtherLibraryNames.ByName[name].FirstOrDefault(entry => IsMeant(entry, type)) is { } entry
            ? [new FoundOtherLibraryName(entry.Use, $"{name} {type.Plain()}", at.GetLocation())]
            : [];

    private static bool IsMeant(OtherLibraryName entry, ITypeSymbol type) => type.OriginalDefinition.FullName() == entry.Receiver
        && (entry.ArgumentType is null
            || (type is INamedTypeSymbol named && named.TypeArguments.Any(argument => argument.FullName() == entry.ArgumentType)));
}
