using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Reading;

/// <summary>A visible handler.</summary>
/// <param name="Parameters">Its parameters, with names and attributes.</param>
/// <param name="Types">Their types in the delegate.</param>
/// <param name="Returns">The type of its result.</param>
/// <param name="ReturnsByReference">Whether it returns a reference.</param>
/// <param name="Cast">An expression that gives <c>handler</c> its type.</param>
internal sealed record Handler(IReadOnlyList<IParameterSymbol> Parameters, IReadOnlyList<ITypeSymbol> Types, ITypeSymbol Returns,
    bool ReturnsByReference, string Cast)
{
    /// <summary>Whether the compiler does not know a type of its parameters, attributes or result, and reports that.</summary>
    public bool IsUnresolved => TypeAccessibilityCheck.IsUnresolved(Returns)
        || Types.Any(TypeAccessibilityCheck.IsUnresolved)
        || Parameters.SelectMany(parameter => parameter.GetAttributes())
            .Any(attribute => TypeAccessibilityCheck.IsUnresolved(attribute.AttributeClass));
}
