namespace CoAP.NET.Tables;

/// <summary>A change, as reported to <see cref="ICoapReplicatedTableRules.OnChanged"/>.</summary>
/// <param name="Key">The key of the entry.</param>
/// <param name="Value">The new value; null for a removed entry. It is immutable, and may be kept.</param>
/// <param name="Remaining">The remaining lifetime of the entry; <see cref="Timeout.InfiniteTimeSpan"/> for no end, zero for a removed
/// entry.</param>
/// <param name="IsExpired">Whether it was removed because its lifetime ended.</param>
internal readonly record struct CoapTableChange(
    CoapTableKey Key, ReadOnlyMemory<byte>? Value, TimeSpan Remaining = default, bool IsExpired = false);
