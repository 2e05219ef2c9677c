using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Naming;

/// <summary>A foreign name in the code of a user.</summary>
/// <param name="Use">What to write instead.</param>
/// <param name="Written">What is written, for the message.</param>
/// <param name="Location">Where it is written.</param>
internal sealed record FoundForeignName(string Use, string Written, Location Location)
{
    public Diagnostic ToDiagnostic() => Diagnostic.Create(Descriptors.ForeignName, Location, Written, Use);
}
