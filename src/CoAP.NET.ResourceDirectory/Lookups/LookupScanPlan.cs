namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>The way in which a lookup scans registrations.</summary>
/// <param name="Term">The term to follow; null for all registrations.</param>
/// <param name="Places">The range in the order of all.</param>
/// <param name="IsAll">Whether all scanned registrations match.</param>
internal readonly record struct LookupScanPlan(LookupTerm? Term, LocationPrefixRange Places, bool IsAll);
