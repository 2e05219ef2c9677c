using System.Collections.Generic;
using Microsoft.CodeAnalysis;

namespace CoAP.NET.Hosting.Generators.Reading;

/// <summary>The result of reading a call.</summary>
/// <param name="Call">The replacement; null if there is none.</param>
/// <param name="Diagnostics">The diagnostics to report.</param>
internal sealed record CallReading(BoundCall? Call, IReadOnlyList<Diagnostic> Diagnostics);
