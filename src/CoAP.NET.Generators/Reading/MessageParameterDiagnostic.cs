using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Generators.Reading;

/// <summary>
/// Explains parameters of handlers whose type is a message of another place, such as the request that a client sends. They are the cause
/// of the errors in the body of the lambda, because a CoapRequestContext has other members.
/// </summary>
internal static class MessageParameterDiagnostic
{
    /// <summary>Returns why a handler does not get a type; null for any other type.</summary>
    public static string? ReasonOf(ITypeSymbol type) => type.FullName() switch
    {
        "CoAP.NET.CoapRequest" => "it is a request to send; a handler gets a CoapRequestContext",
        "CoAP.NET.CoapResponse" => "it is the response that a client gets; a handler gets a CoapRequestContext and returns a CoapResult",
        "CoAP.NET.CoapMessage" => "it is a message of the protocol; a handler gets a CoapRequestContext, which has it as Message",
        _ => null,
    };

    /// <summary>Reads the parameters of a lambda, whether or not its body compiles.</summary>
    public static IEnumerable<Diagnostic> Find(
        InvocationExpressionSyntax call, SemanticModel model, CancellationToken cancellationToken)
    {
        if (call.ArgumentList.Arguments.Last().Expression is not ParenthesizedLambdaExpressionSyntax lambda)
        {
            yield break;
        }

        foreach (ParameterSyntax parameter in lambda.ParameterList.Parameters)
        {
            if (parameter.Type is { } written && model.GetTypeInfo(written, cancellationToken).Type is { } type
                && ReasonOf(type) is { } reason && IsMapped(call, model, cancellationToken))
            {
                yield return Diagnostic.Create(Descriptors.CannotBind, parameter.GetLocation(), parameter.Identifier.ValueText,
                    type.Plain(), reason);
            }
        }
    }

    private static bool IsMapped(InvocationExpressionSyntax call, SemanticModel model, CancellationToken cancellationToken)
    {
        SymbolInfo found = model.GetSymbolInfo(call, cancellationToken);
        return (found.Symbol is { } method ? [method] : found.CandidateSymbols)
            .Any(CallReader.IsOfOwner);
    }
}
