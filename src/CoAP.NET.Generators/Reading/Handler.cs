using System.Collections.Generic;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Reading;

/// <summary>A visible handler.</summary>
/// <param name="Parameters">Its parameters, with names and attributes.</param>
/// <param name="Types">Their types in the delegate.</param>
/// <param name="Returns">The type of its result.</param>
/// <param name="ReturnsByReference">Whether it returns a reference.</param>
/// <param name="Cast">An expression that gives <c>handler</c> its type.</param>
internal sealed record Handler(IReadOnlyList<IParameterSymbol> Parameters, IReadOnlyList<ITypeSymbol> Types, ITypeSymbol Returns,
    bool ReturnsByReference, string Cast);
