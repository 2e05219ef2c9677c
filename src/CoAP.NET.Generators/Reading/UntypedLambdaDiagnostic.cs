using System.Linq;
using System.Threading;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

namespace CoAP.NET.Generators.Reading;

/// <summary>
/// Explains calls that do not compile because of a lambda whose delegate type is unknown: the compiler only names an overload that does
/// not fit.
/// </summary>
internal static class UntypedLambdaDiagnostic
{
    // No conversion of a lambda, a result of another type, another number of parameters, no type, no result on some path. Errors inside of
    // the lambda speak for themselves.
    private static readonly string[] s_misfits = ["CS4010", "CS1662", "CS1593", "CS8917", "CS1643"];

    /// <summary>Reads a call that does not compile.</summary>
    /// <returns>The diagnostic; null if there is another reason.</returns>
    public static Diagnostic? Find(InvocationExpressionSyntax node, SemanticModel model, CancellationToken cancellationToken)
    {
        if (node.ArgumentList.Arguments.Last().Expression is not LambdaExpressionSyntax lambda
            || (lambda is ParenthesizedLambdaExpressionSyntax { ParameterList.Parameters: { Count: > 0 } parameters }
                && parameters[0].Type is not null)
            || IsCallMissing(lambda, model, cancellationToken)
            || !model.GetSymbolInfo(node, cancellationToken).CandidateSymbols.Any(CallReader.IsOfOwner)
            || !model.GetDiagnostics(lambda.Span, cancellationToken).Any(static error => s_misfits.Contains(error.Id)))
        {
            return null;
        }

        return Diagnostic.Create(Descriptors.UntypedLambdaDiagnostic, lambda.GetLocation(), Example(lambda));
    }

    // The result is a method that is not called yet.
    private static bool IsCallMissing(LambdaExpressionSyntax lambda, SemanticModel model, CancellationToken cancellationToken) =>
        lambda.ExpressionBody is { } result && !model.GetMemberGroup(result, cancellationToken).IsEmpty;

    private static string Example(LambdaExpressionSyntax lambda)
    {
        string[] names = lambda switch
        {
            SimpleLambdaExpressionSyntax simple => [simple.Parameter.Identifier.Text],
            ParenthesizedLambdaExpressionSyntax several => [.. several.ParameterList.Parameters.Select(static one => one.Identifier.Text)],
            _ => [],
        };
        string start = lambda.AsyncKeyword.IsKind(SyntaxKind.AsyncKeyword) ? "async " : string.Empty;
        return names.Length switch
        {
            0 => $"the type of its result, such as '{start}{(start.Length == 0 ? "CoapResult" : "Task<CoapResult>")} () => ...',",
            1 => $"'{start}(CoapRequestContext {names[0]}) => ...'",
            2 => $"'{start}(CoapRequestContext {names[0]}, CancellationToken {names[1]}) => ...'",
            _ => "the types of its parameters",
        };
    }
}
