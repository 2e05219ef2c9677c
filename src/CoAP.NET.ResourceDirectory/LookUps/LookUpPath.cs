namespace CoAP.NET.ResourceDirectory;

/// <summary>By what a look-up goes through registrations.</summary>
/// <param name="Term">The term that they have; null for all registrations.</param>
/// <param name="Places">The places in the order of all between which they are.</param>
/// <param name="IsAll">Whether all that it leads to matches.</param>
internal readonly record struct LookUpPath(LookUpTerm? Term, LocationRange Places, bool IsAll);
