namespace CoAP.NET.Cluster;

/// <summary>A removed entry.</summary>
/// <param name="Number">The number of the change.</param>
/// <param name="Key">Its key.</param>
/// <param name="IsExpired">Whether its lifetime had ended.</param>
internal readonly record struct TableRemoval(long Number, CoapTableKey Key, bool IsExpired);
