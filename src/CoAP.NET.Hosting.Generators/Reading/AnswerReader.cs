using Microsoft.CodeAnalysis;

namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>Determines the conversion of a handler's result.</summary>
internal static class AnswerReader
{
    /// <summary>Reads the type that a handler returns.</summary>
    /// <param name="type">The type.</param>
    /// <param name="problem">Why there is no conversion; null if there is one.</param>
    public static BoundAnswer Read(ITypeSymbol type, out string? problem)
    {
        problem = null;
        if (type.SpecialType == SpecialType.System_Void)
        {
            return new BoundAnswer(AnswerKind.Nothing, false, "void");
        }

        bool isAsync = type.FullName() is "System.Threading.Tasks.Task" or "System.Threading.Tasks.ValueTask"
            or "System.Threading.Tasks.Task`1" or "System.Threading.Tasks.ValueTask`1";
        if (isAsync)
        {
            if (type is not INamedTypeSymbol { TypeArguments.Length: 1 } task)
            {
                return new BoundAnswer(AnswerKind.Nothing, true, "void");
            }

            type = task.TypeArguments[0];
        }

        AnswerKind kind = KindOf(type);
        if (kind == AnswerKind.Value)
        {
            problem = FindProblem(type);
        }

        return new BoundAnswer(kind, isAsync, type.Declared());
    }

    private static AnswerKind KindOf(ITypeSymbol type) => type switch
    {
        { SpecialType: SpecialType.System_String } => AnswerKind.Text,
        _ when type.IsByteArray() => AnswerKind.Bytes,
        _ when type.IsByteMemory() => AnswerKind.Memory,
        _ when type.IsOrDerivesFrom("CoAP.NET.CoapResult") => AnswerKind.Result,
        _ when type.IsOrDerivesFrom("CoAP.NET.CoapContent") => AnswerKind.Content,
        _ => AnswerKind.Value,
    };

    private static string? FindProblem(ITypeSymbol type) => type switch
    {
        { IsRefLikeType: true } or { TypeKind: TypeKind.Pointer or TypeKind.FunctionPointer } =>
            "it cannot be kept until it is sent; return an array",
        { TypeKind: TypeKind.Delegate } => "a function is no representation",
        _ when type.IsOrDerivesFrom("System.IO.Stream") => "streams are not read for answers; return CoapResults.Stream, or the bytes",
        _ when type.FullName() == "System.Collections.Generic.IAsyncEnumerable`1" =>
            "an answer is made at once; await the items and return a list",
        _ when type.IsOrDerivesFrom("System.Threading.Tasks.Task") => "it is a task in a task; await it",
        _ => null,
    };
}
