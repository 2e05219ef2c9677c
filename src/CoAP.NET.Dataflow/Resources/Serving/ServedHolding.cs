namespace CoAP.NET.Resources;

/// <summary>One request that a source has under way.</summary>
/// <param name="Source">The source.</param>
/// <param name="IsUnverified">Whether it is also counted among those of unverified addresses.</param>
/// <param name="IsCounted">Whether it is counted at all: what no peer asked for is not.</param>
internal readonly record struct ServedHolding(CoapSource Source, bool IsUnverified, bool IsCounted);
