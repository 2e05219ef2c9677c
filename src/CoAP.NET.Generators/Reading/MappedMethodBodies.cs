using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.Operations;

namespace CoAP.NET.Generators.Reading;

/// <summary>
/// The methods of one <c>Map</c> call, and whether all or none of them have bodies. GET and DELETE have none (RFC 7252 section 5.8).
/// </summary>
internal sealed class MappedMethodBodies
{
    private const string Get = "Get";
    private const string Fetch = "Fetch";
    private const string Delete = "Delete";

    private readonly string[] _methods;

    private MappedMethodBodies(string[] methods) => _methods = methods;

    /// <summary>Whether all methods are known and have bodies.</summary>
    public bool All => _methods.Length != 0 && !_methods.Any(IsWithout);

    /// <summary>Whether all methods are known and have none.</summary>
    public bool None => _methods.Length != 0 && _methods.All(IsWithout);

    /// <summary>
    /// Whether all methods are known and read-only, so that an ETag validates the client's stored representation (RFC 7252 section
    /// 5.10.6.2).
    /// </summary>
    public bool OnlyRead => _methods.Length != 0 && _methods.All(method => method is Get or Fetch);

    /// <summary>Returns the methods as readable text.</summary>
    public override string ToString() => string.Join(" and ", _methods.Select(method => method.ToUpperInvariant()));

    /// <summary>Reads the methods of a call of <c>MapGet</c> and so on, or of <c>Map</c>.</summary>
    public static MappedMethodBodies Of(string method, IOperation? methods) =>
        new(methods is null ? [method.Substring("Map".Length)] : Elements(methods));

    // Empty unless every element is visible.
    private static string[] Elements(IOperation operation)
    {
        while (operation is IConversionOperation conversion)
        {
            operation = conversion.Operand;
        }

        IEnumerable<IOperation> elements = operation switch
        {
            ICollectionExpressionOperation collection => collection.Elements,
            IArrayCreationOperation { Initializer: { } initializer } => initializer.ElementValues,
            _ => [],
        };
        string[] names = [.. elements.Select(element =>
            element is IFieldReferenceOperation { Field: { IsConst: true, ContainingType.TypeKind: TypeKind.Enum } field }
                ? field.Name
                : string.Empty)];
        return names.Contains(string.Empty) ? [] : names;
    }

    private static bool IsWithout(string method) => method is Get or Delete;
}
