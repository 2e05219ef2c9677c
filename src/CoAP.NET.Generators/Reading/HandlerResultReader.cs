using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Reading;

/// <summary>Determines how the result of a handler is converted.</summary>
internal static class HandlerResultReader
{
    /// <summary>Reads the type that a handler returns.</summary>
    /// <param name="type">The type.</param>
    /// <param name="problem">Why there is no conversion; null if there is one.</param>
    public static BoundResult Read(ITypeSymbol type, out string? problem)
    {
        problem = null;
        if (type.SpecialType == SpecialType.System_Void)
        {
            return new BoundResult(HandlerResultKind.Nothing, false, "void");
        }

        bool isAsync = type.FullName() is "System.Threading.Tasks.Task" or "System.Threading.Tasks.ValueTask"
            or "System.Threading.Tasks.Task`1" or "System.Threading.Tasks.ValueTask`1";
        if (isAsync)
        {
            if (type is not INamedTypeSymbol { TypeArguments.Length: 1 } task)
            {
                return new BoundResult(HandlerResultKind.Nothing, true, "void");
            }

            type = task.TypeArguments[0];
        }

        HandlerResultKind kind = KindOf(type);
        if (kind == HandlerResultKind.Value)
        {
            problem = FindProblem(type);
        }

        return new BoundResult(kind, isAsync, type.Declared());
    }

    private static HandlerResultKind KindOf(ITypeSymbol type) => type switch
    {
        { SpecialType: SpecialType.System_String } => HandlerResultKind.Text,
        _ when type.IsByteArray() => HandlerResultKind.Bytes,
        _ when type.IsByteMemory() => HandlerResultKind.Memory,
        _ when type.IsOrDerivesFrom("CoAP.NET.CoapResult") => HandlerResultKind.Result,
        _ when type.IsOrDerivesFrom("CoAP.NET.CoapContent") => HandlerResultKind.Content,
        _ => HandlerResultKind.Value,
    };

    private static string? FindProblem(ITypeSymbol type) => type switch
    {
        { IsRefLikeType: true } or { TypeKind: TypeKind.Pointer or TypeKind.FunctionPointer } =>
            "it cannot be kept until it is sent; return an array",
        { TypeKind: TypeKind.Delegate } => "a function is not a representation",
        _ when type.IsOrDerivesFrom("System.IO.Stream") =>
            "streams are not read for answers; return CoapResults.Stream with an entity-tag, or the bytes",
        _ when type.FullName() == "System.Collections.Generic.IAsyncEnumerable`1" =>
            "an answer is made at once; await the items and return a list",
        _ when type.IsOrDerivesFrom("System.Threading.Tasks.Task") => "it is a task inside a task; await it",
        _ => null,
    };
}
