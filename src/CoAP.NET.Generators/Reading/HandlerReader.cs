using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace CoAP.NET.Generators.Reading;

/// <summary>Finds the lambda or method of a handler, also behind casts.</summary>
internal static class HandlerReader
{
    /// <summary>Reads a handler.</summary>
    /// <returns>The handler; null if it is not visible.</returns>
    public static Handler? Read(IOperation operation, SemanticModel model)
    {
        ITypeSymbol? type = null;
        while (true)
        {
            switch (operation)
            {
                case IConversionOperation { OperatorMethod: null } conversion:
                    operation = conversion.Operand;
                    break;
                case IParenthesizedOperation parenthesized:
                    operation = parenthesized.Operand;
                    break;
                case IDelegateCreationOperation creation:
                    type ??= creation.Type;
                    operation = creation.Target;
                    break;
                case IAnonymousFunctionOperation function:
                    return Make(function.Symbol, type ?? model.GetTypeInfo(function.Syntax).Type);
                case IMethodReferenceOperation reference:
                    return Make(reference.Method, type);
                default:
                    return null;
            }
        }
    }

    private static Handler? Make(IMethodSymbol method, ITypeSymbol? type)
    {
        if (type is not INamedTypeSymbol { DelegateInvokeMethod: { } invoke } || invoke.Parameters.Length != method.Parameters.Length)
        {
            return null;
        }

        // The method has the nullable annotations; a cast may have chosen another compatible delegate.
        ITypeSymbol[] types = [.. method.Parameters.Zip(invoke.Parameters, (own, other) => Choose(own.Type, other.Type))];
        ITypeSymbol returns = Choose(method.ReturnType, invoke.ReturnType);
        return new Handler(method.Parameters, types, returns, method.RefKind != RefKind.None,
            type.CanBeReferencedByName ? $"({type.Declared()})handler" : Sample(invoke, types, returns));
    }

    private static ITypeSymbol Choose(ITypeSymbol own, ITypeSymbol other) =>
        SymbolEqualityComparer.Default.Equals(own, other) ? own : other;

    // A compiler-generated delegate has no name; a lambda of the same form has the same type.
    private static string Sample(IMethodSymbol invoke, ITypeSymbol[] types, ITypeSymbol returns) =>
        $"Cast(handler, {returns.Declared()} "
            + $"({string.Join(", ", invoke.Parameters.Select((parameter, i) => Sample(parameter, types[i], i)))}) => throw null!)";

    private static string Sample(IParameterSymbol parameter, ITypeSymbol type, int index) =>
        $"{(parameter.IsParams ? "params " : string.Empty)}{type.Declared()} p{index}{DefaultOf(parameter, type)}";

    private static string DefaultOf(IParameterSymbol parameter, ITypeSymbol type) =>
        parameter.HasExplicitDefaultValue ? $" = {LiteralFormatter.Constant(parameter.ExplicitDefaultValue, type)}" : string.Empty;
}
