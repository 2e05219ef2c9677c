namespace CoAP.NET.Resources;

/// <summary>One running request of a source.</summary>
/// <param name="Source">The source.</param>
/// <param name="IsUnverified">Whether it also counts for unverified addresses.</param>
/// <param name="IsCounted">Whether it counts at all; runs without a request of a peer do not.</param>
internal readonly record struct RunningRequestQuotaLease(CoapQuotaSource Source, bool IsUnverified, bool IsCounted);
