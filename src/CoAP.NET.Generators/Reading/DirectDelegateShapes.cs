using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace CoAP.NET.Generators.Reading;

/// <summary>
/// The delegates that the library calls without generated code: nothing but a request and a token, and a result or, without parameters, a
/// text. The same as in its <c>RouteHandlerConverter</c>.
/// </summary>
internal static class DirectDelegateShapes
{
    /// <summary>Whether the delegate of an argument has one of these types, also if it is a variable.</summary>
    public static bool Has(IOperation argument, SemanticModel model) => TypeOf(argument, model) is INamedTypeSymbol type
        && (type.FullName() == "CoAP.NET.CoapHandler"
            || (type.FullName() is "System.Func`1" or "System.Func`2" or "System.Func`3"
                && AreParametersKnown(type)
                && IsResultKnown(type.TypeArguments[type.TypeArguments.Length - 1], type.TypeArguments.Length)));

    private static bool AreParametersKnown(INamedTypeSymbol type) =>
        (type.TypeArguments.Length < 2 || type.TypeArguments[0].FullName() == ParameterReader.Request)
            && (type.TypeArguments.Length < 3 || type.TypeArguments[1].FullName() == "System.Threading.CancellationToken");

    private static bool IsResultKnown(ITypeSymbol type, int count)
    {
        if (type is INamedTypeSymbol { TypeArguments.Length: 1 } task
            && type.FullName() is "System.Threading.Tasks.Task`1" or "System.Threading.Tasks.ValueTask`1")
        {
            type = task.TypeArguments[0];
        }
        else if (type.SpecialType == SpecialType.System_String)
        {
            return count == 1;
        }

        return type.FullName() == "CoAP.NET.CoapResult";
    }

    private static ITypeSymbol? TypeOf(IOperation operation, SemanticModel model)
    {
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
                case IAnonymousFunctionOperation function:
                    return model.GetTypeInfo(function.Syntax).Type;
                default:
                    return operation.Type;
            }
        }
    }
}
