namespace CoAP.NET.ResourceDirectory.LookUps;

/// <summary>The way in which a look-up scans registrations.</summary>
/// <param name="Term">The term to follow; null for all registrations.</param>
/// <param name="Places">The range in the order of all.</param>
/// <param name="IsAll">Whether all scanned registrations match.</param>
internal readonly record struct LookUpScanPlan(LookUpTerm? Term, LocationPrefixRange Places, bool IsAll);
