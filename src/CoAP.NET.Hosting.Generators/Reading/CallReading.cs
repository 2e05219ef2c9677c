using System.Collections.Generic;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>What was found at a call.</summary>
/// <param name="Call">What replaces it; null when nothing can.</param>
/// <param name="Diagnostics">What is to be said about it.</param>
internal sealed record CallReading(BoundCall? Call, IReadOnlyList<Diagnostic> Diagnostics);
