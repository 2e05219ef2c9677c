namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>The limits of a lookup.</summary>
/// <param name="MaxResults">The maximum number of results of a response.</param>
/// <param name="MaxBytes">The maximum number of bytes of a response.</param>
/// <param name="MaxScanned">The maximum number of registrations to scan in one step.</param>
internal readonly record struct LookupLimits(int MaxResults, int MaxBytes, int MaxScanned);
