namespace CoAP.NET.ResourceDirectory.LookUps;

/// <summary>The limits of a look-up.</summary>
/// <param name="MaxResults">The maximum number of results of a response.</param>
/// <param name="MaxBytes">The maximum number of bytes of a response.</param>
/// <param name="MaxScanned">The maximum number of registrations to scan in one step.</param>
internal readonly record struct LookUpLimits(int MaxResults, int MaxBytes, int MaxScanned);
