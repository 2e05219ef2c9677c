using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Threading;
using CoAP.NET.Generators.Reading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Generators.Naming;

/// <summary>Finds names of other libraries that the compiler does not resolve.</summary>
internal static class OtherLibraryNameReader
{
    /// <summary>Whether a node is such a name in a declaration: the type of a field or parameter, a base type and so on.</summary>
    public static bool IsDeclaration(SyntaxNode node) => node is SimpleNameSyntax name
        && OtherLibraryNames.ByName.ContainsKey(name.Identifier.ValueText)
        && !node.Ancestors().Any(static outer => outer is StatementSyntax or ArrowExpressionClauseSyntax or EqualsValueClauseSyntax);

    /// <summary>Reads a name.</summary>
    /// <returns>The found names; none if the name exists, or is not in the list.</returns>
    public static IEnumerable<FoundOtherLibraryName> Read(SimpleNameSyntax node, SemanticModel model, CancellationToken cancellationToken)
    {
        // A comment with a wrong name compiles.
        if (!OtherLibraryNames.ByName.TryGetValue(node.Identifier.ValueText, out ImmutableArray<OtherLibraryName> entries)
            || node.IsPartOfStructuredTrivia()
            || model.GetSymbolInfo(node, cancellationToken) is { Symbol: not null }
                or { CandidateReason: CandidateReason.MemberGroup or CandidateReason.LateBound })
        {
            return [];
        }

        if (ReceiverOf(node) is not { } receiver)
        {
            return entries.FirstOrDefault(static entry => entry.Receiver is null) is { } name && IsTypeName(node)
                && ImportedNamespaces.HasLibrary(node, model)
                ? [new FoundOtherLibraryName(name.Use, name.Name, node.GetLocation())]
                : [];
        }

        SeparatedSyntaxList<ArgumentSyntax>? arguments = node.Parent?.Parent is InvocationExpressionSyntax call
            && (call.Expression == node.Parent) ? call.ArgumentList.Arguments : null;
        return TypeOf(receiver, model, cancellationToken) is { } type
            ? entries.Where(entry => entry.Receiver is not null && IsReceiver(entry, type))
                .Select(entry => Find(entry, node, arguments, model, cancellationToken)).OfType<FoundOtherLibraryName>()
            : [];
    }

    private static bool IsReceiver(OtherLibraryName entry, ITypeSymbol type) => type.OriginalDefinition.FullName() == entry.Receiver
        || (!entry.IsExact
            && (type.IsOrDerivesFrom(entry.Receiver!) || HasInterface(type, entry.Receiver!)));

    private static FoundOtherLibraryName? Find(
        OtherLibraryName entry, SimpleNameSyntax node, SeparatedSyntaxList<ArgumentSyntax>? arguments, SemanticModel model,
        CancellationToken cancellationToken)
    {
        if (entry.Arguments == OtherLibraryNameArguments.Any)
        {
            return new FoundOtherLibraryName(entry.Use, entry.Name, node.GetLocation());
        }

        if (arguments is not { Count: > 0 } given)
        {
            return null;
        }

        if (entry.Arguments == OtherLibraryNameArguments.OfType)
        {
            ArgumentSyntax? wrong = given.Skip(1).FirstOrDefault(argument =>
                model.GetTypeInfo(argument.Expression, cancellationToken).Type is { } type && IsOf(type, entry.ArgumentType!));
            return wrong is null ? null : new FoundOtherLibraryName(entry.Use,
                $"{entry.Name}({model.GetTypeInfo(wrong.Expression, cancellationToken).Type!.Plain()})", wrong.GetLocation());
        }

        bool isMeant = entry.Arguments switch
        {
            OtherLibraryNameArguments.Lambda => given.Any(static argument => argument.Expression is LambdaExpressionSyntax),
            OtherLibraryNameArguments.NotOneText => given.Count > 1
                || model.GetTypeInfo(given[0].Expression, cancellationToken).Type?.SpecialType is >= SpecialType.System_SByte
                    and <= SpecialType.System_UInt64,
            _ => given.Count > 1,
        };
        return isMeant ? new FoundOtherLibraryName(entry.Use, $"{entry.Name}(...)", node.GetLocation()) : null;
    }

    private static bool IsOf(ITypeSymbol type, string name) => NameOf(type) == name || HasInterface(type, name);

    private static bool HasInterface(ITypeSymbol type, string name) => type.AllInterfaces.Any(face => face.FullName() == name);

    private static string NameOf(ITypeSymbol type) => type.IsByteArray() ? "System.Byte[]" : type.FullName();

    // The expression before the name, or the object whose initializer has it.
    private static ExpressionSyntax? ReceiverOf(SimpleNameSyntax node) => node.Parent switch
    {
        MemberAccessExpressionSyntax access when access.Name == node => access.Expression,
        MemberBindingExpressionSyntax binding => binding.FirstAncestorOrSelf<ConditionalAccessExpressionSyntax>()?.Expression,
        AssignmentExpressionSyntax { Parent: InitializerExpressionSyntax { Parent: BaseObjectCreationExpressionSyntax creation } } set
            when set.Left == node => creation,
        _ => null,
    };

    // Not the end of a name with namespaces.
    private static bool IsTypeName(SimpleNameSyntax node) => node.Parent is not QualifiedNameSyntax qualified || qualified.Right != node;

    private static ITypeSymbol? TypeOf(ExpressionSyntax receiver, SemanticModel model, CancellationToken cancellationToken) =>
        model.GetSymbolInfo(receiver, cancellationToken).Symbol as ITypeSymbol
        ?? model.GetTypeInfo(receiver, cancellationToken).Type;
}
