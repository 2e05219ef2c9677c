using Microsoft.CodeAnalysis;

namespace CoAP.NET.Generators.Naming;

/// <summary>A name of another library in the code of a user.</summary>
/// <param name="Use">The replacement.</param>
/// <param name="Written">The name in the code, for the message.</param>
/// <param name="Location">The location of the name.</param>
internal sealed record FoundOtherLibraryName(string Use, string Written, Location Location)
{
    public Diagnostic ToDiagnostic() => Diagnostic.Create(Descriptors.OtherLibraryName, Location, Written, Use);
}
