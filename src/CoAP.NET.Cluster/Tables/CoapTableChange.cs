namespace CoAP.NET.Cluster;

/// <summary>A change that <see cref="ICoapTableRules.OnChanged"/> is told.</summary>
/// <param name="Key">The key of the entry.</param>
/// <param name="Value">The new value; null when the entry was removed. It does not change any more, and may be kept.</param>
/// <param name="Remaining">How long the entry lasts from now on; <see cref="Timeout.InfiniteTimeSpan"/> for no end, zero when it was
/// removed.</param>
/// <param name="IsExpired">Whether it was removed because its lifetime has ended.</param>
public readonly record struct CoapTableChange(
    CoapTableKey Key, ReadOnlyMemory<byte>? Value, TimeSpan Remaining = default, bool IsExpired = false);
